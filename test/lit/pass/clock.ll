; The clock of each access, on request: read in front of it, and handed to the hook behind its values.
; RUN: %opt_cupr -passes=cupr-instrument -cupr-clock -cupr-print-slices %s -S -o - 2>%t | %filecheck %s
; RUN: %filecheck --check-prefix=RECORDED --input-file=%t %s
; RUN: %opt_cupr -passes=cupr-instrument -cupr-clock -cupr-values=all %s -S -o - | %filecheck --check-prefix=VALUES %s
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck --check-prefix=UNASKED %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

; RECORDED: kernel is recorded: when it is made is recorded, too

; Without values: 0 bytes in 0 parts, and bit 17.
; CHECK-LABEL: define {{.*}}void @__cupr_traced_kernel(
; CHECK: %[[FIRST:.*]] = call i64 @llvm.nvvm.read.ptx.sreg.clock64()
; CHECK-NEXT: call void @__cupr_values_1_vN(ptr %t, i32 0, ptr %p, i1 %cupr.recording, i32 1, i32 131072, i64 %[[FIRST]])
; CHECK-NEXT: %v = load i32, ptr %p
; CHECK: %[[SECOND:.*]] = call i64 @llvm.nvvm.read.ptx.sreg.clock64()
; CHECK-NEXT: call void @__cupr_values_1_vN(ptr %t, i32 1, ptr %q, i1 %cupr.recording, i32 1, i32 131072, i64 %[[SECOND]])
; CHECK-NEXT: store i32 %v, ptr %q
; CHECK: call i64 @llvm.nvvm.read.ptx.sreg.clock64()
; CHECK-NEXT: call void @__cupr_values_1_vN(ptr %t, i32 2,
; CHECK-NEXT: store i512
; A size that is known at run time only.
; CHECK: %[[THIRD:.*]] = call i64 @llvm.nvvm.read.ptx.sreg.clock64()
; CHECK: %[[BYTES:.*]] = zext i32 %n to i64
; CHECK-NEXT: call void @__cupr_range_clock_in_vN(ptr %t, i32 3, ptr %p, i1 %cupr.recording, i32 1, i64 %[[BYTES]], i64 %[[THIRD]])
; CHECK-NEXT: call void asm sideeffect "cp.async

; The hook of a load with values stands behind it, its clock in front. Large values leave no room beside a clock.
; VALUES-LABEL: define {{.*}}void @__cupr_traced_kernel(
; VALUES: %[[FIRST:.*]] = call i64 @llvm.nvvm.read.ptx.sreg.clock64()
; VALUES-NEXT: %v = load i32, ptr %p
; VALUES: call void @__cupr_values_2_vN(ptr %t, i32 0, ptr %p, i1 %cupr.recording, i32 1, i32 131332, i64 %{{.*}}, i64 %[[FIRST]])
; VALUES: call i64 @llvm.nvvm.read.ptx.sreg.clock64()
; VALUES: call void @__cupr_values_2_vN(ptr %t, i32 1,
; VALUES-NEXT: store i32 %v, ptr %q
; VALUES: call void @__cupr_values_1_vN(ptr %t, i32 2,
; VALUES-NEXT: store i512
; VALUES: call void @__cupr_range_clock_in_vN(ptr %t, i32 3,

; UNASKED-NOT: clock64
define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %p, ptr %q, i32 %s, i32 %n) {
  %v = load i32, ptr %p
  store i32 %v, ptr %q
  store i512 0, ptr %q
  call void asm sideeffect "cp.async.ca.shared.global [$0], [$1], 16, $2;", "r,l,r"(i32 %s, ptr %p, i32 %n)
  ret void
}
