; Asynchronous copies: the global side is traced; a size that is not constant makes a range. Masks and multicast
; addresses are reported.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s
; RUN: %opt_cupr -passes=cupr-instrument -cupr-spaces=global,shared %s -S -o - | %filecheck --check-prefix=BOTH %s
; RUN: %opt_cupr -passes=cupr-instrument -pass-remarks-missed=cupr %s -o /dev/null 2>&1 | %filecheck --check-prefix=REMARK %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

; CHECK-LABEL: define {{.*}}void @__cupr_traced_async(
; CHECK: call void @__cupr_access_vN(ptr %t, i32 0, ptr %p, i1 %{{.*}})
; CHECK-NEXT: call void asm
; CHECK-NEXT: %[[N:.*]] = zext i32 %n to i64
; CHECK-NEXT: call void @__cupr_range_in_vN(ptr %t, i32 1, ptr %p, i1 %{{.*}}, i32 1, i64 %[[N]])
; CHECK-NEXT: call void asm
; CHECK-NEXT: %[[READ:.*]] = icmp eq i32 %n, 0
; CHECK-NEXT: br i1 %[[READ]]
; CHECK: call void @__cupr_access_vN(ptr %t, i32 2, ptr %p, i1 %{{.*}})
; CHECK: call void asm sideeffect "cp.async.wait_all;"
; CHECK-NEXT: ret void
; BOTH-LABEL: define {{.*}}void @__cupr_traced_async(
; BOTH: call void @__cupr_access_vN(ptr %t, i32 0, ptr %p, i1 %{{.*}})
; BOTH-NEXT: %[[W:.*]] = zext i32 %s to i64
; BOTH-NEXT: %[[S:.*]] = inttoptr i64 %[[W]] to ptr addrspace(3)
; BOTH-NEXT: %[[G:.*]] = addrspacecast ptr addrspace(3) %[[S]] to ptr
; BOTH-NEXT: call void @__cupr_access_in_vN(ptr %t, i32 1, ptr %[[G]], i1 %{{.*}}, i32 2)
; BOTH-NEXT: call void asm
define ptx_kernel void @async(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %p, i32 %s, i32 %n, i64 %policy) {
  call void asm sideeffect "cp.async.cg.shared.global.L2::cache_hint.L2::128B [$0], [$1], 16, $2;", "r,l,l"(i32 %s, ptr %p, i64 %policy)
  call void asm sideeffect "cp.async.ca.shared.global [$0], [$1], 16, $2;", "r,l,r"(i32 %s, ptr %p, i32 %n)
  call void asm sideeffect "{ .reg .pred p; setp.ne.u32 p, $2, 0; cp.async.ca.shared.global [$0], [$1], 8, p; }", "r,l,r"(i32 %s, ptr %p, i32 %n)
  call void asm sideeffect "cp.async.commit_group;", ""()
  call void asm sideeffect "cp.async.wait_all;", ""()
  ret void
}

; CHECK-LABEL: define {{.*}}void @__cupr_traced_bulk(
; CHECK: %[[N:.*]] = zext i32 %n to i64
; CHECK-NEXT: call void @__cupr_range_in_vN(ptr %t, i32 3, ptr %p, i1 %{{.*}}, i32 1, i64 %[[N]])
; CHECK-NEXT: call void asm
; CHECK-NEXT: call void @__cupr_access_vN(ptr %t, i32 4, ptr %p, i1 %{{.*}})
; CHECK-NEXT: call void asm
; CHECK-NEXT: zext
; CHECK-NEXT: call void @__cupr_range_in_vN(ptr %t, i32 5, ptr %p, i1 %{{.*}}, i32 1,
; CHECK-NEXT: call void asm
; CHECK-NEXT: call void asm sideeffect "cp.async.bulk.prefetch
; CHECK-NEXT: call void asm sideeffect "cp.async.bulk.commit_group
; CHECK-NEXT: ret void
; BOTH-LABEL: define {{.*}}void @__cupr_traced_bulk(
; BOTH: call void @__cupr_range_in_vN(ptr %t, i32 {{[0-9]+}}, ptr %p, i1 %{{.*}}, i32 1,
; BOTH: call void @__cupr_range_in_vN(ptr %t, i32 {{[0-9]+}}, ptr %{{.*}}, i1 %{{.*}}, i32 2,
; BOTH: ret void
define ptx_kernel void @bulk(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %p, i32 %s, i32 %n, i32 %bar) {
  call void asm sideeffect "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1], $2, [$3];", "r,l,r,r"(i32 %s, ptr %p, i32 %n, i32 %bar)
  call void asm sideeffect "cp.async.bulk.global.shared::cta.bulk_group [$0], [$1], $2;", "l,r,n"(ptr %p, i32 %s, i32 4096)
  call void asm sideeffect "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [$0], [$1], $2;", "l,r,r"(ptr %p, i32 %s, i32 %n)
  call void asm sideeffect "cp.async.bulk.prefetch.L2.global [$0], $1;", "l,r"(ptr %p, i32 %n)
  call void asm sideeffect "cp.async.bulk.commit_group;", ""()
  ret void
}

; CHECK-LABEL: define {{.*}}void @__cupr_traced_unknown(
; CHECK-NOT: call void @__cupr
; CHECK: ret void
; REMARK: not traced: {{.*}}: cp.async.bulk.global.{{.*}} (a mask chooses the bytes that are written)
; REMARK-NEXT: not traced: {{.*}}: multimem.red.{{.*}} (a multicast address stands for memory of several devices)
; REMARK-NEXT: not traced: {{.*}}: tex.1d.{{.*}} (a register has no value before)
; REMARK-NEXT: not traced: {{.*}}: call vprintf, (a, b)
; REMARK-NOT: not traced
define ptx_kernel void @unknown(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %p, i32 %s, i32 %n, i16 %mask) {
  call void asm sideeffect "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [$0], [$1], $2, $3;", "l,r,r,h"(ptr %p, i32 %s, i32 %n, i16 %mask)
  call void asm sideeffect "multimem.red.relaxed.sys.global.add.u32 [$0], $1;", "l,r"(ptr %p, i32 %n)
  call i32 asm sideeffect "tex.1d.v4.s32.s32 {$0, _, _, _}, [$1, {$2}];", "=r,l,r"(i64 0, i32 %n)
  call void asm sideeffect "call vprintf, (a, b);", ""()
  ret void
}
