; A kernel may change what it was given by value: then a pointer in it need not be global. The member beside it still is.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

%S = type { ptr, ptr }

@tile = internal addrspace(3) global [64 x float] undef, align 4

; CHECK-LABEL: define dso_local ptx_kernel void @__cupr_traced_kernel(
; CHECK: %p = load ptr, ptr %s
; CHECK-NEXT: call void @__cupr_access_generic_vN(ptr %t, i32 0, ptr %p, i1 %{{.*}})
; CHECK: %q = load ptr, ptr %second
; CHECK-NEXT: call void @__cupr_access_vN(ptr %t, i32 1, ptr %q, i1 %{{.*}})
define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr byval(%S) align 8 %s, i1 %c) {
  br i1 %c, label %change, label %use
change:
  store ptr addrspacecast (ptr addrspace(3) @tile to ptr), ptr %s, align 8
  br label %use
use:
  %p = load ptr, ptr %s, align 8
  store float 1.0, ptr %p, align 4
  %second = getelementptr i8, ptr %s, i64 8
  %q = load ptr, ptr %second, align 8
  store float 1.0, ptr %q, align 4
  ret void
}
