; A block of a derived kernel says that it has begun behind its first loads, on each way through the kernel, and in front of what needs
; their values. What is loaded from parameters is there at once. On the CPU device, which links no hooks, it says so first.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck --check-prefix=FIRST %s
; RUN: %opt_cupr -passes=cupr-instrument,cupr-link-hooks %s -S -o - | %filecheck %s
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
%{trace_type}

; FIRST-LABEL: define {{.*}}@__cupr_derived_add(
; FIRST: call void @__cupr_block_vN(
; FIRST: load float
; FIRST-NOT: call void @__cupr_block_vN(

; FIRST-LABEL: define {{.*}}@__cupr_derived_fill(

; CHECK-LABEL: define {{.*}}@__cupr_derived_add(
; CHECK-NOT: sreg.tid.y
; CHECK: br i1 %in
; CHECK: {{^}}.done_crit_edge:
; CHECK: sreg.tid.y
; CHECK: store i16
; CHECK: {{^}}then:
; CHECK-NOT: sreg.tid.y
; CHECK: %v = load float
; CHECK-NOT: fadd
; CHECK: %u = load float
; CHECK: sreg.tid.y
; CHECK: store i16
; CHECK: %twice = fadd float %v, %v
; CHECK: store float
; CHECK-NOT: store i16
; CHECK: ret void
define ptx_kernel void @add(ptr byval(%"struct.cupr::argument::Trace") %t, ptr %a, ptr %b, i32 %n) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp ult i32 %x, %n
  br i1 %in, label %then, label %done
then:
  %p = getelementptr float, ptr %a, i32 %x
  %v = load float, ptr %p
  %twice = fadd float %v, %v
  %q = getelementptr float, ptr %b, i32 %x
  %u = load float, ptr %q
  %w = fmul float %v, %u
  %y = fadd float %w, %twice
  store float %y, ptr %p
  br label %done
done:
  ret void
}

; Nothing is loaded: nothing is gained by waiting.
; CHECK-LABEL: define {{.*}}@__cupr_derived_fill(
; CHECK: sreg.tid.y
; CHECK: store i16
; CHECK: store i32
; CHECK-NOT: store i16
; CHECK: ret void
%pair = type { i32, i32 }
define ptx_kernel void @fill(ptr byval(%"struct.cupr::argument::Trace") %t, ptr %a, ptr byval(%pair) %values) {
  %v = load i32, ptr %values
  store i32 %v, ptr %a
  ret void
}

; Twenty registers would be taken for as long as the hook runs.
; CHECK-LABEL: define {{.*}}@__cupr_derived_sum(
; CHECK: store i16
; CHECK: load <4 x float>
; CHECK-NOT: store i16
; CHECK: ret void
define ptx_kernel void @sum(ptr byval(%"struct.cupr::argument::Trace") %t, ptr %a) {
  %p1 = getelementptr i8, ptr %a, i64 16
  %p2 = getelementptr i8, ptr %a, i64 32
  %p3 = getelementptr i8, ptr %a, i64 48
  %p4 = getelementptr i8, ptr %a, i64 64
  %v0 = load <4 x float>, ptr %a
  %v1 = load <4 x float>, ptr %p1
  %v2 = load <4 x float>, ptr %p2
  %v3 = load <4 x float>, ptr %p3
  %v4 = load <4 x float>, ptr %p4
  %s1 = fadd <4 x float> %v0, %v1
  %s2 = fadd <4 x float> %s1, %v2
  %s3 = fadd <4 x float> %s2, %v3
  %s4 = fadd <4 x float> %s3, %v4
  store <4 x float> %s4, ptr %a
  ret void
}

; A loop is not entered: each iteration would say so.
; CHECK-LABEL: define {{.*}}@__cupr_derived_loop(
; CHECK: store i16
; CHECK: {{^}}body:
; CHECK-NOT: store i16
; CHECK: ret void
define ptx_kernel void @loop(ptr byval(%"struct.cupr::argument::Trace") %t, ptr %a, i32 %n) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %body
body:
  %i = phi i32 [ %x, %entry ], [ %next, %body ]
  %p = getelementptr float, ptr %a, i32 %i
  %v = load float, ptr %p
  %w = fmul float %v, %v
  store float %w, ptr %p
  %next = add i32 %i, 32
  %more = icmp ult i32 %next, %n
  br i1 %more, label %body, label %done
done:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
