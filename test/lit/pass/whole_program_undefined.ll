; What no part defines is an error that names all of it.
; RUN: %not %opt_cupr -passes=cupr-whole-program %s -S -o /dev/null 2>&1 | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK: error: device code uses what none of the linked files defines:
; CHECK-DAG: {{^}}  f(int)
; CHECK-DAG: {{^}}  elsewhere
; CHECK-NOT: unused
@elsewhere = external addrspace(1) global i32
declare i32 @_Z1fRKN4cupr8argument5TraceEi(ptr, i32)
declare void @_Z6unusedv()

define ptx_kernel void @kernel() {
  %e = load i32, ptr addrspace(1) @elsewhere
  %v = call i32 @_Z1fRKN4cupr8argument5TraceEi(ptr null, i32 %e)
  ret void
}
