; Constant variables lie in a section of their own, so that a generic pointer to one is known not to be global; others
; do not.
; RUN: %opt_retarget %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK: @table = internal addrspace(4) global i32 1, section "cupr_constant", align 4
; CHECK: @variable = internal addrspace(1) global i32 1, align 4
@table = addrspace(4) externally_initialized constant i32 1, align 4
@variable = addrspace(1) externally_initialized global i32 1, align 4

define ptx_kernel void @kernel(ptr %a, i1 %c) {
  %p = select i1 %c, ptr addrspacecast (ptr addrspace(4) @table to ptr), ptr addrspacecast (ptr addrspace(1) @variable to ptr)
  %v = load i32, ptr %p, align 4
  store i32 %v, ptr %a, align 4
  ret void
}
