; ... unless the module stores pointers to other memory there: then it is decided at run time.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

@tile = internal addrspace(3) global [64 x float] undef, align 4

; CHECK: %p = load ptr, ptr %table
; CHECK: call void @__cupr_access_generic_vN(ptr %t, i32 {{[0-9]+}}, ptr %p, i1 %{{.*}})
define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %table) {
  store ptr addrspacecast (ptr addrspace(3) @tile to ptr), ptr %table, align 8
  %p = load ptr, ptr %table, align 8
  store float 1.0, ptr %p, align 4
  ret void
}
