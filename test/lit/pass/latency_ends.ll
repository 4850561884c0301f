; Wherever a thread of a timed kernel may end, its staged records go to the queue first.
; RUN: %opt_cupr -passes=cupr-instrument -cupr-latency=dependency %s -S -o - | %filecheck %s
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck --check-prefix=UNASKED %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

; UNASKED-NOT: __cupr_stage
; UNASKED-NOT: __cupr_unstage

; CHECK-LABEL: define {{.*}}@__cupr_traced_kernel(
; CHECK-NOT: __cupr_unstage
; CHECK-LABEL: define {{.*}}@__cupr_timed_kernel(
; CHECK: call void @__cupr_unstage_vN(ptr %t, i1 %cupr.recording)
; CHECK-NEXT: call void asm sideeffect "exit;", ""()
; CHECK: call void @__cupr_unstage_vN(ptr %t, i1 %cupr.recording)
; CHECK-NEXT: ret void

; CHECK-LABEL: define internal void @last.global.0(
; CHECK-NOT: __cupr_unstage
; CHECK-LABEL: define internal void @last.global.0.timed(ptr %p, ptr %cupr.trace)
; CHECK: %[[STAGE:.*]] = call i32 @__cupr_stage_vN(ptr %cupr.trace, i1 %cupr.recording, i1 false)
; CHECK: call void @__cupr_timed_2_vN(ptr %cupr.trace, i32 {{[0-9]+}}, ptr %p, i32 %[[STAGE]],
; CHECK: call void @__cupr_unstage_vN(ptr %cupr.trace, i1 %cupr.recording)
; CHECK-NEXT: call void @llvm.nvvm.exit()
; CHECK-NOT: __cupr_unstage
; CHECK: ret void

define internal void @last(ptr %p) noinline {
  store i32 1, ptr %p
  call void @llvm.nvvm.exit()
  ret void
}

define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %p, i1 %early, i1 %late) {
  br i1 %early, label %leave, label %next
leave:
  call void asm sideeffect "exit;", ""()
  ret void
next:
  br i1 %late, label %call, label %done
call:
  call void @last(ptr %p)
  br label %done
done:
  ret void
}
declare void @llvm.nvvm.exit()
