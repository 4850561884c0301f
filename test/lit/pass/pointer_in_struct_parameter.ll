; A pointer inside a by-value parameter is global; the parameter itself is not.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

%struct.View = type { ptr, i32 }

; CHECK-LABEL: define dso_local ptx_kernel void @__cupr_traced_kernel(
; CHECK-NEXT: %cupr.recording = call i1 @__cupr_recording_vN(ptr %t)
; CHECK-NEXT: %p = load ptr, ptr %view
; CHECK-NEXT: call void @__cupr_access_vN(ptr %t, i32 0, ptr %p, i1 %{{.*}})
; CHECK-NEXT: store float
define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr byval(%struct.View) align 8 %view) {
  %p = load ptr, ptr %view, align 8
  store float 1.0, ptr %p, align 4
  ret void
}
