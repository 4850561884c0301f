; Divisions that -fapprox-func marks: left for the back end (div.approx), or made right for divisors of any size.
; The reciprocal of an approximate root is one instruction, that of an exact one is not.
; RUN: %opt_cupr -passes=cupr-approximate-division %s -S -o - | %filecheck %s --check-prefixes=BOTH,APPROX
; RUN: %opt_cupr -passes=cupr-approximate-division -cupr-full-range-division %s -S -o - | %filecheck %s --check-prefixes=BOTH,FULL

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare float @llvm.nvvm.sqrt.approx.f(float)
declare float @llvm.nvvm.sqrt.approx.ftz.f(float)
declare float @llvm.nvvm.sqrt.rn.f(float)

; BOTH-LABEL: define float @quotient(
define float @quotient(float %x, float %y) {
  ; APPROX: %q = fdiv afn float %x, %y
  ; FULL: %q = call float @llvm.nvvm.div.full(float %x, float %y)
  %q = fdiv afn float %x, %y
  ret float %q
}

; BOTH-LABEL: define float @flushed(
define float @flushed(float %x, float %y) "denormal-fp-math-f32"="preserve-sign,preserve-sign" {
  ; FULL: %q = call float @llvm.nvvm.div.full.ftz(float %x, float %y)
  %q = fdiv afn float %x, %y
  ret float %q
}

; BOTH-LABEL: define <2 x float> @vector(
define <2 x float> @vector(<2 x float> %x, <2 x float> %y) {
  ; APPROX: fdiv afn <2 x float> %x, %y
  ; FULL-COUNT-2: call float @llvm.nvvm.div.full(
  %q = fdiv afn <2 x float> %x, %y
  ret <2 x float> %q
}

; Exact ones: __fdiv_rn is an unmarked division by now. Double precision is always exact.
; BOTH-LABEL: define double @exact(
define double @exact(float %x, float %y, double %z) {
  ; BOTH: %q = fdiv float %x, %y
  %q = fdiv float %x, %y
  %w = fpext float %q to double
  ; BOTH: %r = fdiv afn double %w, %z
  %r = fdiv afn double %w, %z
  ret double %r
}

; BOTH-LABEL: define float @reciprocals(
define float @reciprocals(float %x, float %y) {
  ; BOTH: %r = fdiv afn float 1.000000e+00, %y
  %r = fdiv afn float 1.0, %y
  ; BOTH-NOT: sqrt.approx.f
  ; BOTH: %s = call float @llvm.nvvm.rsqrt.approx.f(float %x)
  %root = call float @llvm.nvvm.sqrt.approx.f(float %x)
  %s = fdiv afn float 1.0, %root
  ; BOTH: %t = call float @llvm.nvvm.rsqrt.approx.ftz.f(float %x)
  %flushed = call float @llvm.nvvm.sqrt.approx.ftz.f(float %x)
  %t = fdiv afn float 1.0, %flushed
  ; BOTH: %u = fdiv afn float 1.000000e+00, %precise
  %precise = call float @llvm.nvvm.sqrt.rn.f(float %x)
  %u = fdiv afn float 1.0, %precise
  ; BOTH: %v = fdiv float 1.000000e+00, %approximate
  %approximate = call float @llvm.nvvm.sqrt.approx.f(float %y)
  %v = fdiv float 1.0, %approximate
  ; BOTH: %w = fdiv afn float 1.000000e+00, %shared
  %shared = call float @llvm.nvvm.sqrt.approx.f(float %v)
  %w = fdiv afn float 1.0, %shared
  %rs = fadd float %r, %s
  %tu = fadd float %t, %u
  %vw = fadd float %v, %w
  %rstu = fadd float %rs, %tu
  %sum = fadd float %rstu, %vw
  %all = fadd float %sum, %shared
  ret float %all
}
