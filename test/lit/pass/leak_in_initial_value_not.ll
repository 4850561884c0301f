; Initial pointers to variables in global memory, and to functions, are harmless; so is what is said to the compiler.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

@table = internal addrspace(1) constant [4 x float] zeroinitializer, align 4
@list = addrspace(1) externally_initialized global [2 x ptr] [ptr null, ptr addrspacecast (ptr addrspace(1) @table to ptr)], align 8
@other = addrspace(4) externally_initialized global ptr @kernel, align 8
@constant = addrspace(4) externally_initialized global i32 0, align 4
@llvm.compiler.used = appending global [1 x ptr] [ptr addrspacecast (ptr addrspace(4) @constant to ptr)], section "llvm.metadata"

; CHECK-LABEL: define dso_local ptx_kernel void @__cupr_traced_kernel(
; CHECK: %p = load ptr
; CHECK: call void @__cupr_access_vN(ptr %t, i32 {{[0-9]+}}, ptr %p, i1 %{{.*}})
; CHECK: %q = load ptr
; CHECK: call void @__cupr_access_vN(ptr %t, i32 {{[0-9]+}}, ptr %q, i1 %{{.*}})
define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %out) {
  %p = load ptr, ptr addrspacecast (ptr addrspace(1) @list to ptr), align 8
  %v = load float, ptr %p, align 4
  %q = load ptr, ptr addrspacecast (ptr addrspace(4) @other to ptr), align 8
  %w = load float, ptr %q, align 4
  store float %v, ptr %out, align 4
  ret void
}
