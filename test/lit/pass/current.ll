; cupr::current() becomes the trace of the function that calls it.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%"struct.cupr::argument::Trace" = type { i64, ptr, ptr, ptr, ptr, ptr, i32, i16, i16, i64 }

declare ptr @__cupr_current_v1()
@sink = addrspace(1) externally_initialized global ptr null, align 8

; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK-NOT: __cupr_current
; CHECK: store ptr %t, ptr addrspacecast
define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t) {
  %c = call ptr @__cupr_current_v1()
  store ptr %c, ptr addrspacecast (ptr addrspace(1) @sink to ptr), align 8
  ret void
}
