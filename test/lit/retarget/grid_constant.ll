; All threads of a launch share a __grid_constant__ parameter, as they do on a GPU: its address may go from one thread
; to another that outlives it. Other structures are copied for each thread.
;
; RUN: %opt_retarget %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@shared_place = internal addrspace(3) global ptr poison

; CHECK: define internal void @kernel.device(ptr {{[^,]*}}%shared, ptr byval([8 x i64]) align 8 %own)
; CHECK-SAME: {
; CHECK: define internal void @cupr.thunk.kernel.device(ptr %0)
; CHECK: call void @kernel.device(ptr %{{[0-9]+}}, ptr byval([8 x i64]) align 8 %{{[0-9]+}})
define ptx_kernel void @kernel(ptr byval([12 x i64]) align 8 "nvvm.grid_constant" %shared, ptr byval([8 x i64]) align 8 %own) {
  store ptr %shared, ptr addrspace(3) @shared_place
  ret void
}
