; A pointer parameter of a kernel is global; a shared variable is not.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

@tile = internal addrspace(3) global [64 x float] undef, align 4

; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK: call void @__cupr_access_vN(ptr %t, i32 0, ptr %in, i1 %{{.*}})
; CHECK-NEXT: load float, ptr %in
; CHECK-NOT: call
; CHECK: store float %v, ptr addrspacecast
; CHECK: ret void
define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %in) {
  %v = load float, ptr %in, align 4
  store float %v, ptr addrspacecast (ptr addrspace(3) @tile to ptr), align 4
  ret void
}
