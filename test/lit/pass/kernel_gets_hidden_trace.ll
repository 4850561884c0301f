; The traced variant of a kernel without a trace argument gets one behind its parameters.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK: @__cupr_kernel_plain = {{.*}}, i32 2, i32 1 }
; CHECK-LABEL: define ptx_kernel void @plain(ptr %a)
; CHECK-NEXT: store i32 1, ptr %a
; CHECK-LABEL: define dso_local ptx_kernel void @__cupr_traced_plain(ptr %a, ptr byval([12 x i64]) align 8 "nvvm.grid_constant" %cupr.trace)
; CHECK: call void @__cupr_access_vN(ptr %cupr.trace, i32 0, ptr %a
define ptx_kernel void @plain(ptr %a) {
  store i32 1, ptr %a, align 4
  ret void
}
