; The static report names both sources of a pointer that is decided at run time; with one space there is nothing to decide.
; RUN: %opt_cupr -passes=cupr-instrument -cupr-static-report=- %s -o /dev/null | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

@_ZZ5tiledPfE4tile = internal addrspace(3) global [64 x float] undef, align 4

; Names are the source's; a parameter without a name has its number, the trace not counted.
; CHECK: store  4      decided at run time  mixed     may be kernel parameter `a` or shared variable `tile`
; CHECK-NEXT: store  4      global               unnamed   kernel parameter 0 or kernel parameter 1
; CHECK: Total: 2 accesses in 1 module: 1 global, 1 decided at run time, 0 not global
define ptx_kernel void @mixed(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %a, i1 %c) {
  %p = select i1 %c, ptr %a, ptr addrspacecast (ptr addrspace(3) @_ZZ5tiledPfE4tile to ptr)
  store i32 1, ptr %p, align 4
  ret void
}

define ptx_kernel void @unnamed(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %0, ptr %1, ptr %2, i1 %3) {
  %p = select i1 %3, ptr %1, ptr %2
  store i32 1, ptr %p, align 4
  ret void
}
