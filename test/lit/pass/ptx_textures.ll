; Accesses of textures and surfaces, on request: the object stands for the address, and the coordinates are recorded as values are.
; Who doesn't ask is told that they are not traced.
; RUN: %opt_cupr -passes=cupr-instrument -cupr-spaces=global,texture -pass-remarks-missed=cupr %s -S -o - 2>%t | %filecheck %s
; RUN: %filecheck --check-prefix=REMARK --input-file=%t %s
; RUN: %opt_cupr -passes=cupr-instrument -pass-remarks-missed=cupr %s -o /dev/null 2>&1 | %filecheck --check-prefix=UNASKED %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

; UNASKED-COUNT-5: not traced: textures and surfaces have coordinates, not addresses: --spaces=global,texture records them
; REMARK: not traced: {{.*}}tex.2d.v4.f32.f32 {$0, $1, $2, $3}, [$4, {$5, f}]{{.*}}these are not operands of the asm
; REMARK: not traced: {{.*}}sured.b.xor

; CHECK: @__cupr_site_table = {{.*}}<2 x float>{{.*}}tex.2d.v4.f32.f32{{.*}}{ i32, float }{{.*}}tex.a1d.v4.u32.f32{{.*}}sust.b.1d.v2.b16.clamp{{.*}}sured.b.add.1d.u32.clamp

; 16 bytes of coordinates, in two pieces: 1.5 and y, then nothing. 16 | 1 part << 8.
; CHECK-LABEL: define {{.*}}void @__cupr_traced_kernel(
; CHECK: %[[OBJECT:.*]] = inttoptr i64 %object to ptr
; CHECK: bitcast float %y to i32
; CHECK: call void @__cupr_values_2_vN(ptr %t, i32 0, ptr %[[OBJECT]], i1 %cupr.recording, i32 16, i32 272, i64 %{{.*}}, i64 %{{.*}})
; CHECK-NEXT: call { float, float, float, float } asm "tex.2d.v4.f32.f32
; CHECK: call void @__cupr_values_2_vN(ptr %t, i32 1, ptr {{.*}}, i1 %cupr.recording, i32 16, i32 272,
; CHECK-NEXT: call { i32, i32, i32, i32 } asm "tex.a1d.v4.u32.f32
; CHECK: call void @__cupr_values_2_vN(ptr %t, i32 2, ptr {{.*}}, i1 %cupr.recording, i32 16, i32 272,
; CHECK-NEXT: call void asm sideeffect "sust.b.1d.v2.b16.clamp
; CHECK: call void @__cupr_values_2_vN(ptr %t, i32 3, ptr {{.*}}, i1 %cupr.recording, i32 16, i32 272,
; CHECK-NEXT: call void asm sideeffect "sured.b.add.1d.u32.clamp
; CHECK: call void @__cupr_values_2_vN(ptr %t, i32 4, ptr {{.*}}, i1 %cupr.recording, i32 16, i32 272,
; CHECK-NEXT: asm "tex.1d.v4.f32.f32 {$0, $1, $2, $3}, [$4, $5, {$6}];
define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %p, i64 %object, float %y, i32 %x) {
  %a = call { float, float, float, float } asm "tex.2d.v4.f32.f32 {$0, $1, $2, $3}, [$4, {$5, $6}];", "=f,=f,=f,=f,l,f,f"(i64 %object, float 1.5, float %y)
  %b = call { i32, i32, i32, i32 } asm "tex.a1d.v4.u32.f32 {$0, $1, $2, $3}, [$4, {$5, $6}];", "=r,=r,=r,=r,l,r,f"(i64 %object, i32 %x, float %y)
  call void asm sideeffect "sust.b.1d.v2.b16.clamp [$0, {$1}], {$2, $3};", "l,r,h,h"(i64 %object, i32 %x, i16 1, i16 2)
  call void asm sideeffect "sured.b.add.1d.u32.clamp [$0, {$1}], $2;", "l,r,r"(i64 %object, i32 %x, i32 1)
  %c = call { float, float, float, float } asm "tex.1d.v4.f32.f32 {$0, $1, $2, $3}, [$4, $5, {$6}];", "=f,=f,=f,=f,l,l,f"(i64 %object, i64 %object, float %y)
  %r = extractvalue { float, float, float, float } %a, 0
  %i = extractvalue { i32, i32, i32, i32 } %b, 0
  %s = extractvalue { float, float, float, float } %c, 0
  store float %r, ptr %p
  store i32 %i, ptr %p
  store float %s, ptr %p
  ret void
}

define ptx_kernel void @notTraced(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %p, i64 %object, float %y, i32 %x) {
  %a = call { float, float, float, float } asm "{ .reg .f32 f; add.f32 f, $6, $6; tex.2d.v4.f32.f32 {$0, $1, $2, $3}, [$4, {$5, f}]; }", "=f,=f,=f,=f,l,f,f"(i64 %object, float 1.5, float %y)
  call void asm sideeffect "sured.b.xor.1d.u32.clamp [$0, {$1}], $2;", "l,r,r"(i64 %object, i32 %x, i32 1)
  %r = extractvalue { float, float, float, float } %a, 0
  store float %r, ptr %p
  ret void
}
