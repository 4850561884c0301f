; A function whose address is taken is instrumented as it is; for a direct call there is a clone of the untouched
; original.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

; CHECK-LABEL: define internal void @callee(ptr %p)
; CHECK: call void @__cupr_access_generic_vN(
; CHECK: call void @inner.global(
; CHECK-LABEL: define dso_local ptx_kernel void @__cupr_traced_kernel(
; CHECK: call void @callee.global.0(ptr %a, ptr %cupr.handle)
; CHECK-LABEL: define internal void @callee.global.0(ptr %p, ptr %cupr.trace)
; CHECK: call void @__cupr_access_vN(
; CHECK: call void @inner.global.0(ptr %p, ptr %cupr.trace)
define internal void @inner(ptr %p) noinline {
  store i32 2, ptr %p, align 4
  ret void
}

define internal void @callee(ptr %p) noinline {
  store i32 1, ptr %p, align 4
  call void @inner(ptr %p)
  ret void
}

define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %a, i1 %c) {
  %f = select i1 %c, ptr @callee, ptr null
  call void %f(ptr %a)
  call void @callee(ptr %a)
  ret void
}
