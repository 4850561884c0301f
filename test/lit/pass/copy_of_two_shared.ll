; No global argument: the function is left as it is, and gets no trace.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

@tile = internal addrspace(3) global [64 x float] undef, align 4

; CHECK-NOT: __cupr_access
; CHECK: define internal void @copy(ptr %d, ptr %s)
; CHECK-NOT: .global
define internal void @copy(ptr %d, ptr %s) noinline {
  %v = load float, ptr %s, align 4
  store float %v, ptr %d, align 4
  ret void
}

define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %a) {
  call void @copy(ptr addrspacecast (ptr addrspace(3) @tile to ptr), ptr addrspacecast (ptr addrspace(3) @tile to ptr))
  ret void
}
