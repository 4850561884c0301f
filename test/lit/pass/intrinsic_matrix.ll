; wmma's and ldmatrix's intrinsics, as their inline PTX.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s
; RUN: %opt_cupr -passes=cupr-instrument -cupr-spaces=shared %s -S -o - | %filecheck --check-prefix=SHARED %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

; A column of d is 16 floats, and there are 16 of them, without a gap.
; CHECK-LABEL: define {{.*}}void @__cupr_traced_kernel(
; CHECK: %[[LANE:.*]] = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
; CHECK-NEXT: %[[FIRST:.*]] = icmp ult i32 %[[LANE]], 16
; CHECK-NEXT: br i1 %[[FIRST]]
; CHECK: zext i32
; CHECK-NEXT: %[[E:.*]] = mul i64 %{{.*}}, 16
; CHECK-NEXT: %[[B:.*]] = mul i64 %[[E]], 4
; CHECK-NEXT: %[[A:.*]] = getelementptr i8, ptr %p, i64 %[[B]]
; CHECK-NEXT: call void @__cupr_access_vN(ptr %t, i32 0, ptr %[[A]], i1 %{{.*}})
; CHECK-NOT: call void @__cupr
; CHECK: ret void
; SHARED-LABEL: define {{.*}}void @__cupr_traced_kernel(
; SHARED: icmp ult i32 %{{.*}}, 8
; SHARED: call void @__cupr_access_in_vN(ptr %t, i32 0, ptr %{{.*}}, i1 %{{.*}}, i32 2)
; SHARED-NOT: call void @__cupr
; SHARED: ret void
define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %p, ptr addrspace(3) %s) {
  call void @llvm.nvvm.wmma.m16n16k16.store.d.col.f32.p0(ptr %p, float 0.0, float 0.0, float 0.0, float 0.0, float 0.0, float 0.0, float 0.0, float 0.0)
  %r = call i32 @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x1.b16.p3(ptr addrspace(3) %s)
  ret void
}
