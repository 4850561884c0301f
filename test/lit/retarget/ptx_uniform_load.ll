; `ldu` is a load like `ld`, of floats, too.
; RUN: %opt_retarget %s -S -o - 2>&1 | %filecheck %s --implicit-check-not=unsupported --implicit-check-not="does not know"

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define {{.*}}@_Z4loadPf(
; CHECK: load i32, ptr %{{.*}}, align 4
; CHECK: ret float
define float @_Z4loadPf(ptr %p) {
  %v = call float asm sideeffect "ldu.global.f32 $0, [$1];", "=f,l"(ptr %p)
  ret float %v
}

define ptx_kernel void @kernel(ptr %p) {
  %v = call float @_Z4loadPf(ptr %p)
  store float %v, ptr %p
  ret void
}
