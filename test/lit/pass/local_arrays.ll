; Local arrays are aligned by the largest power of two in their size, up to 16 bytes; nothing else is.
; RUN: %opt_cupr -passes=cupr-compatibility -S %s | %filecheck %s
; RUN: sed 's/nvptx64-nvidia-cuda/x86_64-unknown-linux-gnu/' %s | %opt_cupr -passes=cupr-compatibility -S - | %filecheck %s --check-prefix=HOST
; HOST-NOT: align {{8|16}}{{$}}
target triple = "nvptx64-nvidia-cuda"

define void @arrays() {
  ; CHECK: %eights = alloca [8 x float], align 16
  %eights = alloca [8 x float], align 4
  ; CHECK: %three = alloca [3 x i32], align 4
  %three = alloca [3 x i32], align 4
  ; CHECK: %six = alloca [3 x { i32, i32 }], align 8
  %six = alloca [3 x { i32, i32 }], align 4
  ; CHECK: %odd = alloca [17 x i8], align 1
  %odd = alloca [17 x i8], align 1
  ; CHECK: %more = alloca [8 x float], align 32
  %more = alloca [8 x float], align 32
  ; CHECK: %empty = alloca [0 x i32], align 4
  %empty = alloca [0 x i32], align 4
  ; CHECK: %structure = alloca { [8 x float] }, align 4
  %structure = alloca { [8 x float] }, align 4
  ret void
}
