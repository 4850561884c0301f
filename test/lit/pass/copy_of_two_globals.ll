; Both arguments global: pattern {0,1}, both sides traced, and no other clone.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

; CHECK: call void @copy.global.0.1(ptr %a, ptr %b, ptr %cupr.handle)
; CHECK-LABEL: define internal void @copy.global.0.1(
; CHECK: call void @__cupr_access_vN(ptr %cupr.trace, i32 0, ptr %s, i1 %{{.*}})
; CHECK: call void @__cupr_access_vN(ptr %cupr.trace, i32 1, ptr %d, i1 %{{.*}})
; CHECK-NOT: define internal void @copy
define internal void @copy(ptr %d, ptr %s) noinline {
  %v = load float, ptr %s, align 4
  store float %v, ptr %d, align 4
  ret void
}

define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %a, ptr %b) {
  call void @copy(ptr %a, ptr %b)
  ret void
}
