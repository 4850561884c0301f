; What is copied within global memory was there before, and a structure that the kernel got has global pointers.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

@tile = internal addrspace(3) global [64 x float] undef, align 4

%S = type { ptr, i64 }

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

; CHECK-LABEL: define dso_local ptx_kernel void @__cupr_traced_kernel(
; CHECK: %q = load ptr, ptr %list
; CHECK-NEXT: call void @__cupr_access_vN(ptr %t, i32 {{[0-9]+}}, ptr %q, i1 %{{.*}})
define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %list, ptr %other, ptr byval(%S) align 8 %s) {
  call void @llvm.memcpy.p0.p0.i64(ptr %list, ptr %other, i64 16, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %list, ptr %s, i64 16, i1 false)
  %next = load ptr, ptr %other, align 8
  store ptr %next, ptr %list, align 8
  %q = load ptr, ptr %list, align 8
  store float 1.0, ptr %q, align 4
  ret void
}
