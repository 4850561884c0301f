; A pointer loaded from global memory is global.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

; CHECK: call void @__cupr_access_vN(ptr %t, i32 0, ptr %table, i1 %{{.*}})
; CHECK: %p = load ptr, ptr %table
; CHECK: call void @__cupr_access_vN(ptr %t, i32 1, ptr %p, i1 %{{.*}})
define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %table) {
  %p = load ptr, ptr %table, align 8
  store float 1.0, ptr %p, align 4
  ret void
}
