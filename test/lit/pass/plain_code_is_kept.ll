; What is not traced is as it was: copies stay copies and neighbouring accesses apart, for the back end to treat as in any
; other build; a shared variable of one plain function stays that function's, and traced code has its own.
; RUN: %opt_cupr -passes=cupr-instrument-optimized %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

@tile = internal addrspace(3) global [64 x float] undef, align 4
@twice = internal addrspace(3) global [64 x float] undef, align 4
@dynamic = external addrspace(3) global [0 x float], align 4

; CHECK-DAG: @tile = internal addrspace(3) global [64 x float] undef, align 4
; CHECK-DAG: @tile.traced = internal addrspace(3) global [64 x float] undef, align 4
; Two plain kernels use it: it belongs to the module as it is.
; CHECK-NOT: @twice.traced
; CHECK-NOT: @dynamic.traced

; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK-NEXT: call void @llvm.memcpy.p0.p0.i64(ptr align 4 %to, ptr align 4 %from, i64 %n, i1 false)
; CHECK-NEXT: %x = load i32, ptr %from, align 8
; CHECK-NEXT: %next = getelementptr
; CHECK-NEXT: %y = load i32, ptr %next, align 4
; CHECK-NEXT: %sum = add i32 %x, %y
; CHECK-NEXT: store i32 %sum, ptr %to, align 4
; CHECK-NEXT: store float 1.000000e+00, ptr addrspace(3) @tile, align 4
; CHECK-NEXT: store float 1.000000e+00, ptr addrspace(3) @twice, align 4
; CHECK-NEXT: store float 1.000000e+00, ptr addrspace(3) @dynamic, align 4
; CHECK-NEXT: call void @untraced()
; CHECK-NEXT: ret void
define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr noalias %to, ptr noalias %from, i64 %n) {
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %to, ptr align 4 %from, i64 %n, i1 false)
  %x = load i32, ptr %from, align 8
  %next = getelementptr i32, ptr %from, i64 1
  %y = load i32, ptr %next, align 4
  %sum = add i32 %x, %y
  store i32 %sum, ptr %to, align 4
  store float 1.0, ptr addrspace(3) @tile, align 4
  store float 1.0, ptr addrspace(3) @twice, align 4
  store float 1.0, ptr addrspace(3) @dynamic, align 4
  call void @untraced()
  ret void
}

; A kernel whose calls can't be seen tells what it calls that nothing is recorded, and must.
; CHECK-LABEL: define ptx_kernel void @calls(
; CHECK-NEXT: store ptr null, ptr addrspace(3) @__cupr_block_trace
define ptx_kernel void @calls(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %function) {
  store float 1.0, ptr addrspace(3) @twice, align 4
  call void %function(ptr %function)
  ret void
}

@table = addrspace(1) global [1 x ptr] [ptr @pointed]

; CHECK-LABEL: define internal void @pointed(
; CHECK: call void @__cupr_access
define internal void @pointed(ptr %p) {
  store i32 1, ptr %p, align 4
  ret void
}

; CHECK-LABEL: define internal void @untraced(
; CHECK-NEXT: ret void
define internal void @untraced() noinline {
  ret void
}

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

; CHECK-LABEL: define dso_local ptx_kernel void @__cupr_traced_kernel(
; CHECK-NOT: @llvm.memcpy
; CHECK: load <2 x i32>, ptr %from, align 8
; CHECK: store float 1.000000e+00, ptr addrspace(3) @tile.traced, align 4
; CHECK-NEXT: store float 1.000000e+00, ptr addrspace(3) @twice, align 4
; CHECK-NEXT: store float 1.000000e+00, ptr addrspace(3) @dynamic, align 4
