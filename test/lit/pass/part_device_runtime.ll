; A kernel that launches another one calls the device runtime, which the tool links: no other part has to define it.
; RUN: %opt_cupr -passes=cupr-part -cupr-part-symbols=%t %s -S -o /dev/null && %filecheck --input-file %t %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; A name that only begins like that is a function of the user's.
; CHECK: wanted cudart
; CHECK-NOT: __cudaCDP2GetParameterBuffer
declare ptr @__cudaCDP2GetParameterBuffer(i64, i64)
declare void @cudart()

define ptx_kernel void @kernel() {
  %p = call ptr @__cudaCDP2GetParameterBuffer(i64 8, i64 8)
  call void @cudart()
  ret void
}
