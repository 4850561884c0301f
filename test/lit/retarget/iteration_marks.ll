; A lane marks the end of an iteration in its log, with a key behind those of the loop's accesses. In a function whose sites' numbers depend on
; its caller the key does, too: 16 for each site, as the log counts.
; RUN: %opt_retarget %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare void @__cupr_access_vN(ptr, i32, ptr, i1)

; The last site of the loop is 7: 7 * 16 + 15, less the depth.
; CHECK-LABEL: define internal void @constant.device(
; CHECK: store i32 126, ptr %{{.*}}, align 4
; CHECK: call void @__cupr_cpu_mark(ptr %trace, i32 126, ptr null,
define internal void @constant(ptr %trace, ptr %p, i32 %n) noinline {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %odd = trunc i32 %i to i1
  br i1 %odd, label %then, label %latch
then:
  call void @__cupr_access_vN(ptr %trace, i32 7, ptr %p, i1 true)
  br label %latch
latch:
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

; CHECK-LABEL: define internal void @handed.device(
; CHECK: %[[FIRST:.*]] = mul i32 %context, 16
; CHECK: %[[KEY:.*]] = add i32 46, %[[FIRST]]
; CHECK: store i32 %[[KEY]], ptr %{{.*}}, align 4
; CHECK: call void @__cupr_cpu_mark(ptr %trace, i32 %[[KEY]], ptr null,
define internal void @handed(ptr %trace, ptr %p, i32 %n, i32 %context) noinline {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %odd = trunc i32 %i to i1
  br i1 %odd, label %then, label %latch
then:
  %site = add i32 %context, 2
  call void @__cupr_access_vN(ptr %trace, i32 %site, ptr %p, i1 true)
  br label %latch
latch:
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

define ptx_kernel void @kernel(ptr %trace, ptr %p, i32 %n) {
  call void @constant(ptr %trace, ptr %p, i32 %n)
  call void @handed(ptr %trace, ptr %p, i32 %n, i32 4)
  ret void
}
