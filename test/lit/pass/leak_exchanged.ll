; An exchange writes a shared pointer to global memory.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

@tile = internal addrspace(3) global [64 x float] undef, align 4

; CHECK-LABEL: define dso_local ptx_kernel void @__cupr_traced_kernel(
; CHECK: %q = load ptr, ptr %list
; CHECK-NEXT: call void @__cupr_access_generic_vN(ptr %t, i32 {{[0-9]+}}, ptr %q, i1 %{{.*}})
define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %list) {
  %old = atomicrmw xchg ptr %list, i64 ptrtoint (ptr addrspacecast (ptr addrspace(3) @tile to ptr) to i64) seq_cst, align 8
  %q = load ptr, ptr %list, align 8
  store float 1.0, ptr %q, align 4
  ret void
}
