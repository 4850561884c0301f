; A function whose address is taken keeps its signature and finds the trace in the block's shared variable,
; where the plain kernel puts none.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

; CHECK: @__cupr_block_trace = internal addrspace(3) global ptr undef
; CHECK-LABEL: define internal void @callee(ptr %p)
; CHECK-NEXT: %[[TRACE:.*]] = load ptr, ptr addrspace(3) @__cupr_block_trace
; CHECK-NEXT: %[[RECORDING:.*]] = icmp ne ptr %[[TRACE]], null
; CHECK-NEXT: call void @__cupr_access_generic_vN(ptr %[[TRACE]], i32 {{[0-9]+}}, ptr %p, i1 %[[RECORDING]])
; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK-NEXT: store ptr null, ptr addrspace(3) @__cupr_block_trace
; CHECK-LABEL: define dso_local ptx_kernel void @__cupr_traced_kernel(
; CHECK: %[[HANDLE:.*]] = select i1 %{{.*}}, ptr %t, ptr null
; CHECK-NEXT: store ptr %[[HANDLE]], ptr addrspace(3) @__cupr_block_trace
define internal void @callee(ptr %p) noinline {
  store i32 1, ptr %p, align 4
  ret void
}

define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %a, i1 %c) {
  %f = select i1 %c, ptr @callee, ptr null
  call void %f(ptr %a)
  ret void
}
