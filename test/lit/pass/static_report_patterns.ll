; The static report: each clone has its own accesses, with the reason for the space. Shared memory is listed, and not traced.
; RUN: %opt_cupr -passes=cupr-instrument -cupr-static-report=- %s -o /dev/null | %filecheck %s
; RUN: %opt_cupr -passes=cupr-instrument -cupr-static-report=%t.json %s -o /dev/null
; RUN: %filecheck --check-prefix=JSON %s < %t.json

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

@tile = internal addrspace(3) global [64 x float] undef, align 4

; CHECK: load   4      not traced  copy{0}   this space is not traced: argument `s` in calls from `kernel`: shared variable `tile`; not global in all
; CHECK-NEXT: store  4      global      copy{0}   argument `d` in calls from `kernel`: kernel parameter `g`; global in all
; CHECK-NEXT: load   4      global      copy{1}   argument `s` in calls from `kernel`: kernel parameter `g`; global in all
; CHECK-NEXT: store  4      not traced  copy{1}   this space is not traced: argument `d` in calls from `kernel`: shared variable `tile`; not global in all
; CHECK-NOT: copy{0,1}
; CHECK: copy{0}   -      clone with the trace as an added last argument
; CHECK-NEXT: copy{1}   -      clone with the trace as an added last argument
; CHECK: Total: 4 accesses in 1 module: 2 global, 0 decided at run time, 2 not global, 0 not understood; 2 not traced

; JSON: "clone": "copy{0}"
; JSON: "operation": "load"
; JSON: "reason": "this space is not traced"
; JSON: "what": "shared variable `tile`"
; JSON: "traced": false
; JSON: "type": "float"
; JSON: "format": "cupr-static-report"
; JSON: "version": 1
define internal void @copy(ptr %d, ptr %s) noinline {
  %v = load float, ptr %s, align 4
  store float %v, ptr %d, align 4
  ret void
}

define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %g) {
  call void @copy(ptr addrspacecast (ptr addrspace(3) @tile to ptr), ptr %g)
  call void @copy(ptr %g, ptr addrspacecast (ptr addrspace(3) @tile to ptr))
  ret void
}
