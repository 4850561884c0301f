; Alignments, distances and comparisons of shared pointers are no pointers; nor are numbers made from global ones a
; danger.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

@tile = internal addrspace(3) global [64 x float] undef, align 4

; CHECK-LABEL: define dso_local ptx_kernel void @__cupr_traced_kernel(
; CHECK: %q = load ptr, ptr %list
; CHECK-NEXT: call void @__cupr_access_vN(ptr %t, i32 {{[0-9]+}}, ptr %q, i1 %{{.*}})
define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %list, ptr %numbers, ptr %a, i64 %i) {
  %p = getelementptr float, ptr addrspacecast (ptr addrspace(3) @tile to ptr), i64 %i
  %number = ptrtoint ptr %p to i64
  %low = and i64 %number, 15
  store i64 %low, ptr %numbers, align 8
  %base = ptrtoint ptr addrspacecast (ptr addrspace(3) @tile to ptr) to i64
  %begin = ptrtoint ptr addrspace(3) @tile to i64
  %end = ptrtoint ptr %p to i64
  %distance = sub i64 %end, %begin
  store i64 %distance, ptr %numbers, align 8
  %same = icmp eq i64 %number, %base
  store i1 %same, ptr %numbers, align 1
  %global = ptrtoint ptr %a to i64
  store i64 %global, ptr %list, align 8
  %q = load ptr, ptr %list, align 8
  store float 1.0, ptr %q, align 4
  ret void
}
