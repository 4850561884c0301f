; One name with two signatures, as extern "C" allows, is an error; a call as it is defined is none.
; RUN: %not %opt_cupr -passes=cupr-whole-program %s -S -o /dev/null 2>&1 | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-NOT: right
; CHECK: error: device function wrong is called with another signature than it is defined with
; CHECK-NOT: right
define i32 @wrong(ptr %trace, i32 %i) {
  ret i32 %i
}
define i32 @right(ptr %trace, i32 %i) {
  ret i32 %i
}

define ptx_kernel void @kernel(ptr %p) {
  %v = call i32 @wrong(i32 2)
  %w = call i32 @right(ptr %p, i32 2)
  ret void
}
