; libdevice's products and sums may be rounded together where nvcc lets them; those of others are as their compiler left them.
; RUN: %opt_cupr -passes=cupr-library-contraction -cupr-contract-library %s -S -o - | %filecheck %s --check-prefixes=BOTH,CONTRACT
; RUN: %opt_cupr -passes=cupr-library-contraction %s -S -o - | %filecheck %s --check-prefixes=BOTH,LEAVE

target triple = "nvptx64-nvidia-cuda"

; BOTH-LABEL: define internal float @__nv_polynomial(
define internal float @__nv_polynomial(float %x, double %y) {
  ; CONTRACT: %p = fmul contract float %x, %x
  ; LEAVE: %p = fmul float %x, %x
  %p = fmul float %x, %x
  ; CONTRACT: %s = fadd contract float %p, 1.0
  ; LEAVE: %s = fadd float %p, 1.0
  %s = fadd float %p, 1.0
  ; CONTRACT: %d = fsub contract double %y, 1.0
  %d = fsub double %y, 1.0
  %t = fptrunc double %d to float
  ; What says its rounding keeps it.
  ; BOTH: %r = call float @llvm.nvvm.mul.rn.f(float %s, float %t)
  %r = call float @llvm.nvvm.mul.rn.f(float %s, float %t)
  ret float %r
}

; BOTH-LABEL: define float @user(
define float @user(float %x) {
  ; BOTH: %p = fmul float %x, %x
  %p = fmul float %x, %x
  %r = call float @__nv_polynomial(float %p, double 2.0)
  ret float %r
}

declare float @llvm.nvvm.mul.rn.f(float, float)
