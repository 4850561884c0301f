; Timed kernels: clocks around each access, and the hook behind it. The traced variant has neither.
; RUN: %opt_cupr -passes=cupr-instrument -cupr-latency=dependency -cupr-latency-list=%t %s -S -o - | %filecheck %s
; RUN: %filecheck --check-prefix=LIST --input-file=%t %s
; RUN: %opt_cupr -passes=cupr-instrument -cupr-latency=fence %s -S -o - | %filecheck --check-prefix=FENCE %s
; RUN: %opt_cupr -passes=cupr-instrument -cupr-latency=naive %s -S -o - | %filecheck --check-prefix=NAIVE %s
; RUN: %opt_cupr -passes=cupr-instrument -cupr-latency=dependency -cupr-latency-without=1,3 %s -S -o - | %filecheck --check-prefix=WITHOUT %s
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck --check-prefix=UNASKED %s
; RUN: not %opt_cupr -passes=cupr-instrument -cupr-latency=exact %s -disable-output 2>&1 | %filecheck --check-prefix=WRONG %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

; WRONG: 'exact': expected one of naive, fence, dependency, use

; The number of the interval, what it waits for (1: a value, 2: a fence, 4: copies), and where it is.
; LIST: {{^}}1	1	kernel{{$}}
; LIST-NEXT: {{^}}2	2	kernel{{$}}
; LIST-NEXT: {{^}}3	1	kernel{{$}}
; LIST-NEXT: {{^}}4	2	kernel{{$}}
; LIST-NEXT: {{^}}5	1	kernel{{$}}
; LIST-NEXT: {{^}}6	1	kernel{{$}}
; LIST-NEXT: {{^}}7	4	kernel{{$}}

; CHECK-LABEL: define {{.*}}void @kernel(
; CHECK-NOT: %clock
; CHECK-LABEL: define {{.*}}void @__cupr_traced_kernel(
; CHECK-NOT: %clock
; CHECK-LABEL: define {{.*}}void @__cupr_timed_kernel(
; Blocks that are not recorded run the plain kernel's code; records of the others are staged.
; CHECK: %cupr.recording = call i1 @__cupr_recording_vN(ptr %t)
; CHECK-NEXT: br i1 %cupr.recording, label %[[RECORDED:.*]], label %cupr.unrecorded
; CHECK: [[RECORDED]]:
; CHECK-NEXT: %[[STAGE:.*]] = call i32 @__cupr_stage_vN(ptr %t, i1 %cupr.recording, i1 true)
; The address comes to registers of its own, and the first clock is behind all of it.
; CHECK: %[[NOTHING:.*]] = call i32 asm "{\0A\09.reg .b32 cuprNext;\0A\09add.u32 cuprNext, $1, 1;\0A\09mul.lo.u32 cuprNext, cuprNext, $1;\0A\09and.b32 $0, cuprNext, 1;\0A}", "=r,r"
; CHECK-NEXT: %[[WIDER:.*]] = zext i32 %[[NOTHING]] to i64
; CHECK-NEXT: %[[OWN:.*]] = getelementptr i8, ptr %p, i64 %[[WIDER]]
; CHECK-NEXT: %[[P:.*]] = ptrtoint ptr %[[OWN]] to i64
; CHECK: %[[TID:.*]] = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
; CHECK: %[[HERE:.*]] = xor i32 %{{.*}}, %[[TID]]
; CHECK-NEXT: %[[BEGAN:.*]] = call i32 asm sideeffect "{\0A\09.reg .pred cuprHere;\0A\09mov.u32 $0, %clock;\0A\09setp.ne.b32 cuprHere, $1, 4290772994;\0A\09@cuprHere mov.u32 $0, %clock;\0A}", "=&r,r,~{memory}"(i32 %[[HERE]])
; CHECK-NEXT: %v = load i32, ptr %[[OWN]]
; The second is behind all of the value.
; CHECK: %[[ENDED:.*]] = call i32 asm sideeffect "{\0A\09.reg .pred cuprHere;\0A\09mov.u32 $0, 0;\0A\09setp.ne.b32 cuprHere, $1, 4290772995;\0A\09@cuprHere mov.u32 $0, %clock;\0A\09@!cuprHere mov.u32 $0, %clock;\0A}"
; CHECK-NEXT: %[[NOW:.*]] = call i64 @llvm.nvvm.read.ptx.sreg.clock64()
; CHECK-NEXT: %[[LOW:.*]] = trunc i64 %[[NOW]] to i32
; CHECK-NEXT: %[[AGO:.*]] = sub i32 %[[LOW]], %[[BEGAN]]
; CHECK-NEXT: %[[WIDE:.*]] = zext i32 %[[AGO]] to i64
; CHECK-NEXT: %[[CLOCK:.*]] = sub i64 %[[NOW]], %[[WIDE]]
; CHECK-NEXT: %[[CYCLES:.*]] = sub i32 %[[ENDED]], %[[BEGAN]]
; What the clocks take themselves is taken off.
; CHECK-NEXT: %[[ALONE:.*]] = sub i32 %[[CYCLES]], 3
; CHECK-NEXT: %[[DURATION:.*]] = zext i32 %[[ALONE]] to i64
; The value comes to registers of its own behind the clock.
; CHECK-NEXT: %[[ZERO:.*]] = call i32 asm "{\0A\09.reg .b32 cuprNext;{{.*}}"(i32 %[[ENDED]])
; CHECK-NEXT: %[[V:.*]] = call i32 asm sideeffect "xor.b32 $0, $1, $2;", "=r,r,r"(i32 %v, i32 %[[ZERO]])
; 4 bytes in no parts, with a clock and a duration, by scheme 3, at one site.
; CHECK-NEXT: call void @__cupr_timed_2_vN(ptr %t, i32 [[#SITE:]], ptr %p, i32 %[[STAGE]], i32 1, i32 6160388, i64 %[[CLOCK]], i64 %[[DURATION]])
; A store brings nothing.
; CHECK: store i32 %[[V]], ptr %{{.*}}
; CHECK-NEXT: call i32 asm sideeffect "{\0A\09.reg .pred cuprHere;\0A\09fence.acq_rel.cta;
; CHECK: call void @__cupr_timed_2_vN(ptr %t, i32 [[#SITE + 1]], ptr %q,
; Each register of a vector counts.
; CHECK: %w = load <4 x float>
; CHECK-COUNT-4: extractelement <4 x {{.*}}> %w
; CHECK: call i32 asm sideeffect "{\0A\09.reg .pred cuprHere;\0A\09mov.u32 $0, 0;\0A\09.reg .pred cuprAlways;\0A\09mov.pred cuprAlways, 1;\0A\09lop3.and.b32 _|cuprHere, $1, $2, 4290772999, 0x96, cuprAlways;
; An operation whose result is not asked for is another instruction than one whose result is.
; CHECK: atomicrmw add ptr %q, i32 1
; CHECK-NEXT: call i32 asm sideeffect "{\0A\09.reg .pred cuprHere;\0A\09fence.acq_rel.cta;
; CHECK: %x = atomicrmw add ptr %q, i32 2
; CHECK-NOT: fence.acq_rel
; CHECK: setp.ne.b32
; ptxas knows that a byte has no value of 32 bits, but not what the clock xor a byte is.
; CHECK: %b = load i8
; CHECK: call i32 asm sideeffect {{.*}}lop3.and{{.*}}"(i32 %{{.*}}, i32 %cupr.began{{[0-9]+}})
; What a copy takes is there before the first clock, and the second waits for all copies of the thread.
; CHECK: %[[SOURCE:.*]] = getelementptr i8, ptr %p, i64
; CHECK: %[[FROM:.*]] = xor i32 %{{.*}}, %s
; CHECK: xor i32 %[[FROM]], %
; CHECK: call i32 asm sideeffect {{.*}} 4290773006;
; CHECK-NEXT: call void asm sideeffect "cp.async.ca.shared.global [$0], [$1], 16;", "r,l"(i32 %s, ptr %[[SOURCE]])
; CHECK-NEXT: call i32 asm sideeffect "{\0A\09.reg .pred cuprHere;\0A\09cp.async.wait_all;\0A\09mov.u32 $0, 0;\0A\09setp.ne.b32 cuprHere, $1, 4290773007;
; CHECK: call void @__cupr_timed_2_vN(ptr %t, i32 [[#SITE + 6]], ptr %p,
; A bulk copy has no time, but a record, behind those that are staged.
; CHECK: call void @__cupr_unstage_vN(ptr %t, i1 %cupr.recording)
; CHECK-NEXT: call void @__cupr_access_vN(ptr %t, i32 [[#SITE + 7]], ptr %p,
; CHECK-NEXT: call void asm sideeffect "cp.async.bulk
; Nothing stays behind in a stage.
; CHECK: call void @__cupr_unstage_vN(ptr %t, i1 %cupr.recording)
; CHECK-NEXT: ret void
; CHECK: cupr.unrecorded:
; CHECK-NEXT: call void @__cupr_timed_kernel.unrecorded(ptr %t, ptr %p, ptr %q, i32 %s)
; CHECK-NEXT: ret void
; CHECK-LABEL: define internal void @__cupr_timed_kernel.unrecorded(ptr align 8 %t,
; CHECK-NOT: call i32 asm
; CHECK: %v = load i32, ptr %p
; CHECK-NEXT: store i32 %v, ptr %q

; FENCE-LABEL: define {{.*}}void @__cupr_timed_kernel(
; FENCE: %v = load i32
; FENCE: fence.acq_rel.cta
; FENCE: %b = load i8
; FENCE: fence.acq_rel.cta

; Nothing is waited for, but LLVM must not move the load.
; NAIVE-LABEL: define {{.*}}void @__cupr_timed_kernel(
; NAIVE-NOT: fence.acq_rel
; NAIVE: %[[BEGAN:.*]] = call i32 asm sideeffect
; NAIVE-NEXT: %v = load i32
; NAIVE: call i32 asm sideeffect {{.*}} "=&r,r,r,~{memory}"(i32 %[[BEGAN]], i32 %{{.*}})
; NAIVE-NOT: fence.acq_rel
; NAIVE: call void asm sideeffect "cp.async.ca
; NAIVE-NOT: cp.async.wait

; WITHOUT-LABEL: define {{.*}}void @__cupr_timed_kernel(
; WITHOUT: call void @__cupr_access_vN(ptr %t, i32 [[#SITE:]], ptr %p,
; WITHOUT-NEXT: %v = load i32
; WITHOUT-NOT: @__cupr_access_vN
; WITHOUT: setp.ne.b32 cuprHere, $1, 4290772996;
; WITHOUT: call void @__cupr_access_vN(ptr %t, i32 [[#SITE + 2]],
; WITHOUT-NEXT: %w = load <4 x float>

; UNASKED-NOT: __cupr_timed_
define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %p, ptr %q, i32 %s) {
  %v = load i32, ptr %p
  store i32 %v, ptr %q
  %w = load <4 x float>, ptr %p, align 16
  %unused = atomicrmw add ptr %q, i32 1 monotonic
  %x = atomicrmw add ptr %q, i32 2 monotonic
  %b = load i8, ptr %p
  %wide = zext i8 %b to i32
  %y = add i32 %x, %wide
  call void asm sideeffect "cp.async.ca.shared.global [$0], [$1], 16;", "r,l"(i32 %s, ptr %p)
  call void asm sideeffect "cp.async.bulk.global.shared::cta.bulk_group [$1], [$0], 16;", "r,l"(i32 %s, ptr %p)
  %first = extractelement <4 x float> %w, i32 0
  %z = fptosi float %first to i32
  %sum = add i32 %y, %z
  store volatile i32 %sum, ptr addrspace(5) null
  ret void
}
