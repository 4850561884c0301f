; A select of a global and a shared pointer is decided at run time; of two globals it is proven.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

@tile = internal addrspace(3) global [64 x float] undef, align 4

; CHECK: call void @__cupr_access_generic_vN(ptr %t, i32 0, ptr %p, i1 %{{.*}})
; CHECK: call void @__cupr_access_vN(ptr %t, i32 1, ptr %q, i1 %{{.*}})
define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %a, ptr %b, i1 %c) {
  %p = select i1 %c, ptr %a, ptr addrspacecast (ptr addrspace(3) @tile to ptr)
  store float 1.0, ptr %p, align 4
  %q = select i1 %c, ptr %a, ptr %b
  store float 1.0, ptr %q, align 4
  ret void
}
