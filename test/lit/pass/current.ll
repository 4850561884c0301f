; cupr::current() becomes the trace of the function that calls it, or one that records nothing in plain code: it is a
; reference, so it is never null.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

declare ptr @__cupr_current_vN()
@sink = addrspace(1) externally_initialized global ptr null, align 8

; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK-NEXT: store ptr addrspacecast (ptr addrspace(1) @__cupr_no_trace to ptr), ptr addrspacecast
; CHECK-LABEL: define dso_local ptx_kernel void @__cupr_traced_kernel(
; CHECK-NOT: __cupr_current
; CHECK: store ptr %t, ptr addrspacecast
; CHECK: call void @callee.global(ptr %cupr.handle)
; CHECK-LABEL: define internal void @callee.global(ptr %cupr.trace)
; CHECK: %[[CURRENT:.*]] = select i1 %{{.*}}, ptr %cupr.trace, ptr addrspacecast (ptr addrspace(1) @__cupr_no_trace to ptr)
; CHECK: store ptr %[[CURRENT]], ptr addrspacecast
define internal void @callee() noinline {
  %c = call ptr @__cupr_current_vN()
  store ptr %c, ptr addrspacecast (ptr addrspace(1) @sink to ptr), align 8
  ret void
}

define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t) {
  %c = call ptr @__cupr_current_vN()
  store ptr %c, ptr addrspacecast (ptr addrspace(1) @sink to ptr), align 8
  call void @callee()
  ret void
}
