; Code that no traced kernel reaches gets a trace that records nothing: no question is left open.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

declare ptr @__cupr_current_vN()
declare void @use(ptr)

; CHECK: @__cupr_no_trace = internal addrspace(1) constant [{{[0-9]+}} x i8] zeroinitializer
; CHECK-NOT: __cupr_current
; CHECK: call void @use(ptr addrspacecast (ptr addrspace(1) @__cupr_no_trace to ptr))
define void @unreached() {
  %c = call ptr @__cupr_current_vN()
  call void @use(ptr %c)
  ret void
}

define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %a) {
  store float 1.0, ptr %a, align 4
  ret void
}
