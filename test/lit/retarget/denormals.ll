; Where denormal numbers are flushed, each operation of single precision takes zeros in their place and makes zeros of them; other functions and double precision keep them.
; RUN: %opt_retarget %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define internal float @{{.*}}flushed
; CHECK-NOT: denormal-fp-math
define float @_Z7flushedff(float %a, float %b) #0 {
  ; CHECK: %[[ABS:.*]] = call float @llvm.fabs.f32(float %a)
  ; CHECK: %[[SMALL:.*]] = fcmp olt float %[[ABS]], 0x3810000000000000
  ; CHECK: %[[ZERO:.*]] = call float @llvm.copysign.f32(float 0.000000e+00, float %a)
  ; CHECK: %[[A:.*]] = select i1 %[[SMALL]], float %[[ZERO]], float %a
  ; CHECK: %[[B:.*]] = select {{.*}} float %b
  ; CHECK: %sum = fadd float %[[A]], %[[B]]
  %sum = fadd float %a, %b
  ; Its result is flushed once, and not again where it is used; nor is a constant looked at.
  ; CHECK: %[[SUM:.*]] = select {{.*}} float %sum
  ; CHECK-NEXT: %product = fmul float %[[SUM]], 2.000000e+00
  %product = fmul float %sum, 2.0
  ; CHECK: %[[PRODUCT:.*]] = select {{.*}} float %product
  ; CHECK-NEXT: fcmp olt float %[[PRODUCT]], 0.000000e+00
  %less = fcmp olt float %product, 0x36A0000000000000
  ; A selection moves what is there.
  ; CHECK-NEXT: select i1 {{.*}}, float %[[PRODUCT]], float %a
  %chosen = select i1 %less, float %product, float %a
  ret float %chosen
}

; CHECK-LABEL: define internal double @{{.*}}converted
define double @_Z9convertedfd(float %a, double %d) #0 {
  ; CHECK: %[[A:.*]] = select {{.*}} float %a
  ; CHECK-NEXT: %wide = fpext float %[[A]] to double
  %wide = fpext float %a to double
  ; CHECK-NEXT: %sum = fadd double %wide, %d
  %sum = fadd double %wide, %d
  ; CHECK-NEXT: %narrow = fptrunc double %sum to float
  ; CHECK: %[[NARROW:.*]] = select {{.*}} float %narrow
  %narrow = fptrunc double %sum to float
  ; CHECK-NEXT: bitcast float %[[NARROW]] to i32
  %bits = bitcast float %narrow to i32
  %number = uitofp i32 %bits to double
  ret double %number
}

; Who names it gets it, whatever the flags; and so does inline PTX.
; CHECK-LABEL: define internal float @{{.*}}kept
define float @_Z4keptff(float %a, float %b) {
  ; CHECK: %sum = fadd float %a, %b
  %sum = fadd float %a, %b
  ; CHECK-NEXT: %[[FABS:.*]] = call float @llvm.fabs.f32(float %sum)
  ; CHECK: %[[SUM:.*]] = select {{.*}} float %sum
  ; CHECK: fmul float %[[SUM]],
  %named = call float @llvm.nvvm.mul.rn.ftz.f(float %sum, float %b)
  %assembled = call float asm "sub.ftz.f32 $0, $1, $2;", "=f,f,f"(float %named, float %b)
  ; CHECK: fsub float
  ; CHECK: select
  ret float %assembled
}

; CHECK-LABEL: define internal float @{{.*}}approximate
define float @_Z11approximateff(float %a, float %b) {
  ; CHECK: %[[ABS:.*]] = call float @llvm.fabs.f32(float %b)
  ; CHECK: %[[LARGE:.*]] = fcmp ogt float %[[ABS]], 0x47D0000000000000
  ; CHECK: %[[NONE:.*]] = fmul float %a, 0.000000e+00
  ; CHECK: %[[DIVIDEND:.*]] = select i1 %[[LARGE]], float %[[NONE]], float %a
  ; CHECK: %q = fdiv float %[[DIVIDEND]], %b
  %q = fdiv afn float %a, %b
  ; CHECK-NEXT: %r = fdiv float 1.000000e+00, %q
  %r = fdiv afn float 1.0, %q
  ; CHECK-NEXT: %[[FULL:.*]] = fdiv float %r, %b
  %full = call float @llvm.nvvm.div.full(float %r, float %b)
  ret float %full
}

define ptx_kernel void @_Z6kernelPf(ptr %out) {
  %a = load float, ptr %out
  %s = call float @_Z7flushedff(float %a, float 2.0)
  %d = call double @_Z9convertedfd(float %s, double 1.0)
  %w = fptrunc double %d to float
  %t = call float @_Z4keptff(float %w, float 2.0)
  %u = call float @_Z11approximateff(float %t, float 2.0)
  store float %u, ptr %out
  ret void
}

declare float @llvm.nvvm.mul.rn.ftz.f(float, float)
declare float @llvm.nvvm.div.full(float, float)
attributes #0 = { "denormal-fp-math-f32"="preserve-sign,preserve-sign" }
