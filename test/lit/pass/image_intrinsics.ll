; LLVM's intrinsics for textures and surfaces are the PTX instructions that they become: the object stands for the address, and the
; coordinates, behind the object and a sampler, are recorded as values are. Nothing of them is changed.
; RUN: %opt_cupr -passes=cupr-instrument -cupr-spaces=global,texture -pass-remarks-missed=cupr %s -S -o - 2>%t | %filecheck %s
; RUN: %filecheck --check-prefix=REMARK --allow-empty --input-file=%t %s
; RUN: %opt_cupr -passes=cupr-instrument -pass-remarks-missed=cupr %s -o /dev/null 2>&1 | %filecheck --check-prefix=UNASKED %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

; UNASKED-COUNT-6: not traced: textures and surfaces have coordinates, not addresses: --spaces=global,texture records them
; REMARK-NOT: not traced

; CHECK: @__cupr_site_table = {{.*}}<2 x float>{{.*}}tex.2d.v4.f32.f32{{.*}}{ i32, float, float }{{.*}}tex.level.a2d.v4.u32.f32{{.*}}tex.1d.v4.s32.s32{{.*}}tld4.g.2d.v4.f32.f32{{.*}}suld.b.a1d.v2.b16.zero{{.*}}sust.p.3d.b32.trap

; CHECK-LABEL: define {{.*}}void @__cupr_traced_kernel(
; CHECK: %[[OBJECT:.*]] = inttoptr i64 %object to ptr
; CHECK: call void @__cupr_values_2_vN(ptr %t, i32 0, ptr %[[OBJECT]], i1 %cupr.recording, i32 16, i32 272, i64 %{{.*}}, i64 %{{.*}})
; CHECK-NEXT: call { float, float, float, float } @llvm.nvvm.tex.unified.2d.v4f32.f32(i64 %object, float 1.500000e+00, float %y)
; CHECK: call void @__cupr_values_2_vN(ptr %t, i32 1,
; CHECK-NEXT: @llvm.nvvm.tex.unified.2d.array.level.v4u32.f32(
; CHECK: zext i32 %x to i128
; CHECK-NOT: zext
; CHECK: call void @__cupr_values_2_vN(ptr %t, i32 2, ptr %{{.*}}, i1 %cupr.recording, i32 16, i32 272, i64 %{{.*}}, i64 %{{.*}})
; CHECK-NEXT: @llvm.nvvm.tex.1d.v4s32.s32(i64 %object, i64 %sampler, i32 %x)
; CHECK: call void @__cupr_values_2_vN(ptr %t, i32 3,
; CHECK-NEXT: @llvm.nvvm.tld4.unified.g.2d.v4f32.f32(
; CHECK: call void @__cupr_values_2_vN(ptr %t, i32 4,
; CHECK-NEXT: @llvm.nvvm.suld.1d.array.v2i16.zero(
; CHECK: call void @__cupr_values_2_vN(ptr %t, i32 5,
; CHECK-NEXT: @llvm.nvvm.sust.p.3d.i32.trap(
define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %p, i64 %object, i64 %sampler, float %y, i32 %x) {
  %a = call { float, float, float, float } @llvm.nvvm.tex.unified.2d.v4f32.f32(i64 %object, float 1.5, float %y)
  %b = call { i32, i32, i32, i32 } @llvm.nvvm.tex.unified.2d.array.level.v4u32.f32(i64 %object, i32 %x, float %y, float %y, float 0.0)
  %c = call { i32, i32, i32, i32 } @llvm.nvvm.tex.1d.v4s32.s32(i64 %object, i64 %sampler, i32 %x)
  %d = call { float, float, float, float } @llvm.nvvm.tld4.unified.g.2d.v4f32.f32(i64 %object, float %y, float %y)
  %e = call { i16, i16 } @llvm.nvvm.suld.1d.array.v2i16.zero(i64 %object, i32 2, i32 %x)
  call void @llvm.nvvm.sust.p.3d.i32.trap(i64 %object, i32 %x, i32 0, i32 7, i32 5)
  %r = extractvalue { float, float, float, float } %a, 0
  %i = extractvalue { i32, i32, i32, i32 } %b, 0
  %j = extractvalue { i32, i32, i32, i32 } %c, 0
  %k = extractvalue { float, float, float, float } %d, 0
  %l = extractvalue { i16, i16 } %e, 0
  store float %r, ptr %p
  store i32 %i, ptr %p
  store i32 %j, ptr %p
  store float %k, ptr %p
  store i16 %l, ptr %p
  ret void
}

declare { float, float, float, float } @llvm.nvvm.tex.unified.2d.v4f32.f32(i64, float, float)
declare { i32, i32, i32, i32 } @llvm.nvvm.tex.unified.2d.array.level.v4u32.f32(i64, i32, float, float, float)
declare { i32, i32, i32, i32 } @llvm.nvvm.tex.1d.v4s32.s32(i64, i64, i32)
declare { float, float, float, float } @llvm.nvvm.tld4.unified.g.2d.v4f32.f32(i64, float, float)
declare { i16, i16 } @llvm.nvvm.suld.1d.array.v2i16.zero(i64, i32, i32)
declare void @llvm.nvvm.sust.p.3d.i32.trap(i64, i32, i32, i32, i32)
