; A managed variable is told to the back end, in its definition and in declarations.
; RUN: %opt_cupr -passes=cupr-compatibility -S %s | %filecheck %s
; RUN: %opt_cupr -passes=cupr-compatibility %s | llc-22 -mcpu=sm_75 -o - | %filecheck %s --check-prefix=PTX
target triple = "nvptx64-nvidia-cuda"

; CHECK: @here = addrspace(1) externally_initialized global i32 3, align 4
; CHECK: @elsewhere = external addrspace(1) global i32, align 4
; CHECK: @plain = addrspace(1) global i32 0, section "other"
; PTX: .visible .global .attribute(.managed) .align 4 .u32 here = 3;
; PTX: .extern .global .attribute(.managed) .align 4 .u32 elsewhere;
; PTX-NOT: managed
@here = addrspace(1) externally_initialized global i32 3, section "cupr.managed", align 4
@elsewhere = external addrspace(1) global i32, section "cupr.managed", align 4
@plain = addrspace(1) global i32 0, section "other"

define ptx_kernel void @kernel() {
  %value = load i32, ptr addrspace(1) @elsewhere
  store i32 %value, ptr addrspace(1) @here
  store i32 %value, ptr addrspace(1) @plain
  ret void
}
; CHECK: !nvvm.annotations = !{![[HERE:[0-9]+]], ![[ELSEWHERE:[0-9]+]]}
; CHECK-DAG: ![[HERE]] = !{ptr addrspace(1) @here, !"managed", i32 1}
; CHECK-DAG: ![[ELSEWHERE]] = !{ptr addrspace(1) @elsewhere, !"managed", i32 1}
