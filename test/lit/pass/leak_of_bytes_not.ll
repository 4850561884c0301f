; A number beside a shared pointer in a local variable is only a number.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

@tile = internal addrspace(3) global [64 x float] undef, align 4

%S = type { ptr, i64 }

; CHECK-LABEL: define dso_local ptx_kernel void @__cupr_traced_kernel(
; CHECK: %q = load ptr, ptr %list
; CHECK-NEXT: call void @__cupr_access_vN(ptr %t, i32 {{[0-9]+}}, ptr %q, i1 %{{.*}})
define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %list, ptr %numbers, i64 %i) {
  %holder = alloca %S, align 8
  %second = getelementptr i8, ptr %holder, i64 8
  store ptr addrspacecast (ptr addrspace(3) @tile to ptr), ptr %holder, align 8
  store i64 %i, ptr %second, align 8
  %number = load i64, ptr %second, align 8
  store i64 %number, ptr %numbers, align 8
  %q = load ptr, ptr %list, align 8
  store float 1.0, ptr %q, align 4
  ret void
}
