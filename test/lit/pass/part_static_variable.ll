; A static variable that the host uses has two names where a kernel stands before the host's use: they are
; one variable. One that only looks like it is left alone.
; RUN: %opt_cupr -passes=cupr-part %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-NOT: @_ZL6hidden ={{.*}}external
; CHECK: @_ZL6hidden__static__0123456789abcdef = addrspace(1)
; CHECK-NOT: @_ZL6hidden ={{.*}}external
; CHECK: @_ZL5other = external
@_ZL6hidden = external addrspace(1) global i32
@_ZL6hidden__static__0123456789abcdef = addrspace(1) externally_initialized global i32 5, align 4
@_ZL5other = external addrspace(1) global i32

; CHECK: %v = load i32, ptr addrspace(1) @_ZL6hidden__static__0123456789abcdef
; CHECK: %w = load i32, ptr addrspace(1) @_ZL5other
define ptx_kernel void @kernel(ptr %p) {
  %v = load i32, ptr addrspace(1) @_ZL6hidden, align 4
  %w = load i32, ptr addrspace(1) @_ZL5other, align 4
  ret void
}
