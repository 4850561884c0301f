; A module that is instrumented already is left alone.
; RUN: %opt_cupr -cupr-derive=false -passes=cupr-instrument,cupr-instrument %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

; CHECK: call void @__cupr_access_vN
; CHECK-NOT: call void @__cupr_access_vN
define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %a) {
  store i32 1, ptr %a, align 4
  ret void
}
