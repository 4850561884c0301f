; A pointer may be put together from pieces, here bytes: what is loaded may be anything. Pieces of a neighbour do not
; matter.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

%S = type { i64, ptr }

; CHECK-LABEL: define dso_local ptx_kernel void @__cupr_traced_kernel(
; CHECK: %p = load ptr, ptr %slot
; CHECK-NEXT: call void @__cupr_access_generic_vN(ptr %t, i32 0, ptr %p, i1 %{{.*}})
; CHECK: %q = load ptr, ptr %second
; CHECK-NEXT: call void @__cupr_access_vN(ptr %t, i32 1, ptr %q, i1 %{{.*}})
define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %a, i8 %byte, i64 %number) {
  %slot = alloca ptr, align 8
  %pair = alloca %S, align 8
  store ptr %a, ptr %slot, align 8
  store i8 %byte, ptr %slot, align 8
  %p = load ptr, ptr %slot, align 8
  store float 1.0, ptr %p, align 4
  %second = getelementptr i8, ptr %pair, i64 8
  store i64 %number, ptr %pair, align 8
  store ptr %a, ptr %second, align 8
  %q = load ptr, ptr %second, align 8
  store float 1.0, ptr %q, align 4
  ret void
}
