; The arguments of a launch that a kernel makes go to a buffer of the device runtime: no data of the program's.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare ptr @__cudaCDP2GetParameterBuffer(i64, i64)
declare ptr @other(i64, i64)

; CHECK: define {{.*}}@__cupr_traced_kernel
define ptx_kernel void @kernel(ptr %out) {
  ; CHECK: call ptr @__cudaCDP2GetParameterBuffer
  ; CHECK-NOT: call void @__cupr_
  ; CHECK: store i32 1, ptr %second
  %buffer = call ptr @__cudaCDP2GetParameterBuffer(i64 8, i64 8)
  %second = getelementptr i8, ptr %buffer, i64 8
  store i32 1, ptr %second
  ; CHECK: call void @__cupr_
  ; CHECK: store i32 2, ptr %data
  %data = call ptr @other(i64 8, i64 8)
  store i32 2, ptr %data
  ret void
}
