; A local variable whose address escapes may hold anything.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

declare void @unknown(ptr)

; CHECK-LABEL: define dso_local ptx_kernel void @__cupr_traced_kernel(
; CHECK: %p = load ptr, ptr %slot
; CHECK-NEXT: call void @__cupr_access_generic_vN(ptr %t, i32 0, ptr %p, i1 %{{.*}})
define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %a) {
  %slot = alloca ptr, align 8
  store ptr %a, ptr %slot, align 8
  call void @unknown(ptr %slot)
  %p = load ptr, ptr %slot, align 8
  store float 1.0, ptr %p, align 4
  ret void
}
