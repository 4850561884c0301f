; In the linked program only kernels and what the host may ask for stay visible.
; RUN: %opt_cupr -passes=cupr-whole-program %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK: @counter = addrspace(1) externally_initialized global
@counter = addrspace(1) externally_initialized global i32 0
; CHECK: @inner = internal addrspace(1) global
@inner = addrspace(1) global i32 0
; CHECK: @tile = external addrspace(3) global
@tile = external addrspace(3) global [0 x i32]

; CHECK: define internal i32 @f(
define i32 @f(i32 %i) {
  ret i32 %i
}

; CHECK: define internal i32 @g(
define weak_odr i32 @g(i32 %i) {
  ret i32 %i
}

; CHECK: define ptx_kernel void @kernel(
define ptx_kernel void @kernel() {
  %v = call i32 @f(i32 1)
  %w = call i32 @g(i32 1)
  store i32 %v, ptr addrspace(1) @inner
  store i32 %w, ptr addrspace(3) @tile
  ret void
}
