; Products and sums that may be rounded together are, as the GPU's code generator chooses, and the host's has no choice left.
; RUN: %opt_retarget %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define internal float @{{.*}}sums
; CHECK-NOT: contract
define float @_Z4sumsfff(float %a, float %b, float %c) {
  %p = fmul contract float %a, %b
  %q = fmul contract float %b, %c
  ; The product is used twice: it is fused all the same, and stays.
  ; CHECK: %p = fmul float %a, %b
  ; CHECK: %one = call float @llvm.fma.f32(float %a, float %b, float %c)
  %one = fadd contract float %p, %c
  ; Of two products the one with fewer uses.
  ; CHECK: %two = call float @llvm.fma.f32(float %b, float %c, float %p)
  %two = fadd contract float %p, %q
  ; CHECK: %[[N:.*]] = fneg float %one
  ; CHECK: %three = call float @llvm.fma.f32(float %a, float %b, float %[[N]])
  %three = fsub contract float %p, %one
  ; CHECK: %[[M:.*]] = fneg float %a
  ; CHECK: %four = call float @llvm.fma.f32(float %[[M]], float %b, float %two)
  %four = fsub contract float %two, %p
  ; Neither may be contracted alone.
  ; CHECK: %five = fadd float %three, %p
  %five = fadd float %three, %p
  ; CHECK: %six = fadd float %five, %four
  %six = fadd contract float %five, %four
  %strict = fmul float %a, %c
  ; CHECK: fadd float %strict, %six
  %seven = fadd contract float %strict, %six
  ret float %seven
}

; The product lies in another block: the GPU's code generator sees one block at a time.
; CHECK-LABEL: define internal float @{{.*}}blocks
define float @_Z6blocksfff(float %a, float %b, float %c) {
  %p = fmul contract float %a, %b
  br label %next
next:
  ; CHECK: fadd float %p, %c
  %sum = fadd contract float %p, %c
  ret float %sum
}

define ptx_kernel void @_Z6kernelPf(ptr %out) {
  %s = call float @_Z4sumsfff(float 1.0, float 2.0, float 3.0)
  %t = call float @_Z6blocksfff(float 1.0, float 2.0, float 3.0)
  %u = fadd float %s, %t
  store float %u, ptr %out
  ret void
}
