; Negative twin of kernel_gets_hidden_trace.ll: no room for the trace, no traced variant, and a reason.
; RUN: %opt_cupr -passes=cupr-instrument -pass-remarks-missed=cupr-instrument %s -S -o - 2>&1 | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK: this kernel's parameters leave no room for the trace
; CHECK-NOT: __cupr_traced_wide
; CHECK: define dso_local ptx_kernel void @__cupr_traced_narrow
; CHECK-NOT: __cupr_traced_wide
define ptx_kernel void @wide(ptr %a, ptr byval([32700 x i8]) align 4 %b) {
  store i32 1, ptr %a, align 4
  ret void
}

define ptx_kernel void @narrow(ptr %a, ptr byval([32600 x i8]) align 4 %b) {
  store i32 1, ptr %a, align 4
  ret void
}
