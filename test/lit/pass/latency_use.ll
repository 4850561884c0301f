; The scheme `use`: the second clock stands in front of the first instruction of the block that needs what the load brings, and loads
; between are under way with it. Hooks are called where none is.
; RUN: %opt_cupr -passes=cupr-instrument -cupr-latency=use %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

; CHECK-LABEL: define {{.*}}void @__cupr_timed_kernel(
; CHECK: %[[BEGAN:.*]] = call i32 asm sideeffect {{.*}}4290772994;
; CHECK-NEXT: %a = load i32, ptr %{{.*}}
; CHECK-NEXT: %i = add i64 %n, 1
; CHECK-NEXT: %r = getelementptr i32, ptr %q, i64 %i
; CHECK: call i32 asm sideeffect {{.*}}4290772996;
; CHECK-NEXT: %b = load i32, ptr %{{.*}}
; CHECK-NOT: call void @__cupr
; Both clocks are read before anything is made of them.
; CHECK: call i32 asm sideeffect {{.*}}4290772995;
; CHECK-NEXT: call i32 asm sideeffect {{.*}}4290772997;
; CHECK: %[[FIRST:.*]] = sub i32 %{{.*}}, %[[BEGAN]]
; CHECK-NOT: call void @__cupr
; CHECK: %[[A:.*]] = call i32 asm sideeffect "xor.b32 $0, $1, $2;", "=r,r,r"(i32 %a,
; CHECK: %[[B:.*]] = call i32 asm sideeffect "xor.b32 $0, $1, $2;", "=r,r,r"(i32 %b,
; CHECK: call void @__cupr_timed_2_vN(ptr %t, i32 [[#SITE:]], ptr %p,
; CHECK-NEXT: call void @__cupr_timed_2_vN(ptr %t, i32 [[#SITE + 1]], ptr %r,
; CHECK-NEXT: %sum = add i32 %[[A]], %[[B]]

; Nobody in the block needs it, or what is called may record accesses: there it ends.
; CHECK: %c = load i32, ptr %{{.*}}
; CHECK-NEXT: %j = add i64 %n, 2
; CHECK: call i32 asm sideeffect {{.*}}4290772999;
; CHECK: call void @__cupr_timed_2_vN(ptr %t, i32 [[#SITE + 2]], ptr %p,
; CHECK-NEXT: call void @other
; CHECK: %d = load i32, ptr %{{.*}}
; CHECK-NEXT: %k = add i64 %n, 3
; CHECK: call i32 asm sideeffect {{.*}}4290773001;
; CHECK: call void @__cupr_timed_2_vN(ptr %t, i32 [[#SITE + 3]], ptr %p,

; A copy is waited for in front of the program's own wait.
; CHECK: call i32 asm sideeffect {{.*}}4290773002;
; CHECK-NEXT: call void asm sideeffect "cp.async.ca
; CHECK-NEXT: call void @llvm.nvvm.cp.async.commit.group()
; CHECK-NEXT: %l = add i64 %n, 4
; CHECK-NEXT: call i32 asm sideeffect {{.*}}cp.async.wait_all;{{.*}}4290773003;
; CHECK: call void @__cupr_timed_2_vN(ptr %t, i32 [[#SITE + 4]], ptr %p,
; CHECK-NEXT: call void @llvm.nvvm.cp.async.wait.group(i32 0)
declare void @other(i32)

define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %p, ptr %q, i64 %n, i32 %s) {
  %a = load i32, ptr %p
  %i = add i64 %n, 1
  %r = getelementptr i32, ptr %q, i64 %i
  %b = load i32, ptr %r
  %sum = add i32 %a, %b
  %c = load i32, ptr %p
  %j = add i64 %n, 2
  call void @other(i32 %sum)
  %d = load i32, ptr %p
  %k = add i64 %n, 3
  br label %next
next:
  call void asm sideeffect "cp.async.ca.shared.global [$0], [$1], 16;", "r,l"(i32 %s, ptr %p)
  call void @llvm.nvvm.cp.async.commit.group()
  %l = add i64 %n, 4
  call void @llvm.nvvm.cp.async.wait.group(i32 0)
  %e = add i32 %c, %d
  call void @other(i32 %e)
  ret void
}
