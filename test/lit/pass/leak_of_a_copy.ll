; A structure that was passed by value may hold any pointer, and is copied to global memory.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

@tile = internal addrspace(3) global [64 x float] undef, align 4

%S = type { ptr, i64 }

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define internal void @keep(ptr %to, ptr byval(%S) align 8 %s) noinline {
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %s, i64 16, i1 false)
  ret void
}

; CHECK-LABEL: define dso_local ptx_kernel void @__cupr_traced_kernel(
; CHECK: %q = load ptr, ptr %list
; CHECK-NEXT: call void @__cupr_access_generic_vN(ptr %t, i32 {{[0-9]+}}, ptr %q, i1 %{{.*}})
define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %list, ptr %s) {
  call void @keep(ptr %list, ptr byval(%S) align 8 %s)
  %q = load ptr, ptr %list, align 8
  store float 1.0, ptr %q, align 4
  ret void
}
