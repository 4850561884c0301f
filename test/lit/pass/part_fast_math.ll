; Files with and without --use_fast_math can be linked: the flag that would forbid it goes, once its question
; is answered; it stays where it is not.
; RUN: %opt_cupr -passes=cupr-part %s -S -o - | %filecheck %s
; RUN: sed 's/;ASK //' %s | %opt_cupr -passes=cupr-part - -S -o - | %filecheck %s --check-prefix=ASKED

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-NOT: nvvm-reflect-ftz
; CHECK: !"other"
; CHECK-NOT: nvvm-reflect-ftz
; ASKED: !"nvvm-reflect-ftz"
declare i32 @__nvvm_reflect(ptr)
@name = internal constant [11 x i8] c"__CUDA_FTZ\00"

define ptx_kernel void @kernel(ptr %p) {
  ;ASK %ftz = call i32 @__nvvm_reflect(ptr @name)
  ret void
}

!llvm.module.flags = !{!0, !1}
!0 = !{i32 4, !"nvvm-reflect-ftz", i32 1}
!1 = !{i32 1, !"other", i32 1}
