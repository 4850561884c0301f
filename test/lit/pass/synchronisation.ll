; What synchronises is planned as an access whose address says what it is about: as LLVM's intrinsics and as inline PTX. Without the
; option there is nothing of it.
; RUN: %opt_cupr -passes=cupr-instrument -cupr-derive=false -cupr-synchronisation -cupr-static-report=%t %s -S -o - | %filecheck %s
; RUN: %filecheck --check-prefix=REPORT --input-file=%t %s
; RUN: %opt_cupr -passes=cupr-instrument -cupr-derive=false %s -S -o - | %filecheck --check-prefix=NONE %s
; RUN: %opt_cupr -passes=cupr-instrument -cupr-derive=false -cupr-synchronisation -pass-remarks-missed=cupr %s -o /dev/null 2>&1 | %filecheck --check-prefix=REMARK %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

; NONE-NOT: call void @__cupr_access

; A barrier's number is in the low half, the threads that take part in the high one: 64 << 32 | 1, and -1 << 32 | 3.
; CHECK-LABEL: define {{.*}}void @__cupr_traced_intrinsics(
; CHECK: call void @__cupr_access_vN(ptr %t, i32 0, ptr null, i1 %cupr.recording)
; CHECK-NEXT: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
; CHECK: call void @__cupr_access_vN(ptr %t, i32 1, ptr getelementptr (i8, ptr inttoptr (i64 1 to ptr), i64 274877906944), i1
; CHECK-NEXT: call void @llvm.nvvm.barrier.cta.sync.count(i32 1, i32 64)
; CHECK: call void @__cupr_access_vN(ptr %t, i32 2, ptr getelementptr (i8, ptr inttoptr (i64 3 to ptr), i64 -4294967296), i1
; CHECK-NEXT: call void @llvm.nvvm.barrier.cta.arrive.count(i32 3, i32 %n)
; CHECK: call void @__cupr_access_vN(ptr %t, i32 3, ptr inttoptr (i64 4294967295 to ptr), i1
; CHECK-NEXT: call void @llvm.nvvm.bar.warp.sync(i32 -1)
; CHECK: call void @__cupr_access_vN(ptr %t, i32 4, ptr null
; CHECK-NEXT: call void @llvm.nvvm.barrier.cluster.arrive.relaxed()
; CHECK: call void @__cupr_access_vN(ptr %t, i32 5, ptr null
; CHECK-NEXT: call void @llvm.nvvm.barrier.cluster.wait()
; CHECK: call void @__cupr_access_vN(ptr %t, i32 6, ptr null
; CHECK-NEXT: fence syncscope("device") acq_rel
; CHECK: call void @__cupr_access_vN(ptr %t, i32 7, ptr null
; CHECK-NEXT: call void @llvm.nvvm.membar.gl()
; CHECK: call void @__cupr_access_vN(ptr %t, i32 8, ptr inttoptr (i64 2 to ptr)
; CHECK-NEXT: call void @llvm.nvvm.cp.async.wait.group(i32 2)
; CHECK: %[[SHARED:.*]] = addrspacecast ptr addrspace(3) %b to ptr
; 8 bytes of figures in one part: 8 | 1 << 8. 32 arrivals, and no bytes.
; CHECK-NEXT: call void @__cupr_values_1_vN(ptr %t, i32 9, ptr %[[SHARED]], i1 %cupr.recording, i32 2, i32 264, i64 32)
; CHECK-NEXT: call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) %b, i32 32)
; A test of an mbarrier is recorded behind it, where it found the phase over.
; CHECK: %over = call i1 @llvm.nvvm.mbarrier.test.wait.shared(
; CHECK-NEXT: %[[OVER:.*]] = icmp ne i1 %over, false
; CHECK-NEXT: br i1 %[[OVER]]
; CHECK: call void @__cupr_access_in_vN(ptr %t, i32 10,
define ptx_kernel void @intrinsics(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr addrspace(3) %b, i32 %n, i64 %state) {
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  call void @llvm.nvvm.barrier.cta.sync.count(i32 1, i32 64)
  call void @llvm.nvvm.barrier.cta.arrive.count(i32 3, i32 %n)
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  call void @llvm.nvvm.barrier.cluster.arrive.relaxed()
  call void @llvm.nvvm.barrier.cluster.wait()
  fence syncscope("device") acq_rel
  call void @llvm.nvvm.membar.gl()
  call void @llvm.nvvm.cp.async.wait.group(i32 2)
  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) %b, i32 32)
  %over = call i1 @llvm.nvvm.mbarrier.test.wait.shared(ptr addrspace(3) %b, i64 %state)
  ret void
}

; CHECK-LABEL: define {{.*}}void @__cupr_traced_assembly(
; CHECK: call void @__cupr_access_vN(ptr %t, i32 11, ptr inttoptr (i64 274877906945 to ptr)
; CHECK-NEXT: call void asm sideeffect "bar.sync 1, 64;"
; CHECK: call void @__cupr_access_vN(ptr %t, i32 12, ptr null
; CHECK-NEXT: call void asm sideeffect "fence.acq_rel.gpu;"
; An arrival, and 64 bytes that are to come: 64 << 32 | 1.
; CHECK: call void @__cupr_values_1_vN(ptr %t, i32 13, ptr {{.*}}, i1 %cupr.recording, i32 2, i32 264, i64 274877906945)
; CHECK-NEXT: call void asm sideeffect "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;"
; CHECK: %got = call i32 asm sideeffect "{ .reg .pred p; mbarrier.try_wait
; CHECK-NEXT: %[[GOT:.*]] = icmp ne i32 %got, 0
; CHECK-NEXT: br i1 %[[GOT]]
; CHECK: call void @__cupr_access_in_vN(ptr %t, i32 14,
; An asm that repeats the test comes to its end when it has succeeded.
; CHECK: call void asm sideeffect "{ .reg .pred P; LAB:
; CHECK-NOT: br i1
; CHECK: call void @__cupr_access_in_vN(ptr %t, i32 15,
; A fence between kinds of access is about no place, though it may name one.
; CHECK: call void @__cupr_access_vN(ptr %t, i32 16, ptr null
; CHECK-NEXT: call void asm sideeffect "fence.proxy.tensormap
; Figures that are no operands of the asm are not recorded.
; CHECK: %[[BYTES:.*]] = zext i32 %n to i64
; CHECK-NEXT: %[[HIGH:.*]] = shl i64 %[[BYTES]], 32
; CHECK-NEXT: %[[BOTH:.*]] = or i64 0, %[[HIGH]]
; CHECK-NEXT: %[[FIGURES:.*]] = lshr i64 %[[BOTH]], 0
; CHECK-NEXT: call void @__cupr_values_1_vN(ptr %t, i32 17, {{.*}}, i64 %[[FIGURES]])
; CHECK-NEXT: call void asm sideeffect "mbarrier.expect_tx
; CHECK: call void @__cupr_access_in_vN(ptr %t, i32 18,
; CHECK-NEXT: call void asm sideeffect "{ .reg .b32 c;
; CHECK-NOT: call void @__cupr_access
; CHECK: ret void
; REMARK: whether its phase was over is not a result of the asm
define ptx_kernel void @assembly(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, i32 %s, ptr %p, i32 %n) {
  call void asm sideeffect "bar.sync 1, 64;", ""()
  call void asm sideeffect "fence.acq_rel.gpu;", "~{memory}"()
  call void asm sideeffect "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;", "r,r"(i32 %s, i32 64)
  %got = call i32 asm sideeffect "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [$1], 0; selp.b32 $0, 1, 0, p; }", "=r,r"(i32 %s)
  call void asm sideeffect "{ .reg .pred P; LAB: mbarrier.try_wait.parity.shared::cta.b64 P, [$0], 0; @P bra DONE; bra LAB; DONE: }", "r"(i32 %s)
  call void asm sideeffect "fence.proxy.tensormap::generic.acquire.gpu [$0], 128;", "l"(ptr %p)
  call void asm sideeffect "{ .reg .pred P; mbarrier.test_wait.parity.shared::cta.b64 P, [$0], 0; }", "r"(i32 %s)
  call void asm sideeffect "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [$0], $1;", "r,r"(i32 %s, i32 %n)
  call void asm sideeffect "{ .reg .b32 c; mul.lo.u32 c, $1, $1; .reg .b64 state; mbarrier.arrive.shared::cta.b64 state, [$0], c; }", "r,r"(i32 %s, i32 %n)
  ret void
}

; REPORT: barrier
; REPORT: fence
