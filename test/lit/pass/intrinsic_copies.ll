; LLVM's intrinsics for asynchronous and bulk copies: the global side as an access, or as a range where the size is not
; constant; with -cupr-spaces the shared side too.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s
; RUN: %opt_cupr -passes=cupr-instrument -cupr-spaces=shared %s -S -o - | %filecheck --check-prefix=SHARED %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

; CHECK-LABEL: define {{.*}}void @__cupr_traced_async(
; CHECK: %[[P:.*]] = addrspacecast ptr addrspace(1) %p to ptr
; CHECK-NEXT: call void @__cupr_access_vN(ptr %t, i32 0, ptr %[[P]], i1 %{{.*}})
; CHECK-NEXT: call void @llvm.nvvm.cp.async.ca.shared.global.8(
; CHECK-NEXT: addrspacecast
; CHECK-NEXT: %[[N:.*]] = zext i32 %n to i64
; CHECK-NEXT: call void @__cupr_range_in_vN(ptr %t, i32 1, ptr %{{.*}}, i1 %{{.*}}, i32 1, i64 %[[N]])
; CHECK-NEXT: call void @llvm.nvvm.cp.async.cg.shared.global.16.s(
; CHECK-NEXT: ret void
; SHARED-LABEL: define {{.*}}void @__cupr_traced_async(
; SHARED: %[[S:.*]] = addrspacecast ptr addrspace(3) %s to ptr
; SHARED-NEXT: call void @__cupr_access_in_vN(ptr %t, i32 0, ptr %[[S]], i1 %{{.*}}, i32 2)
; SHARED-NEXT: call void @llvm.nvvm.cp.async.ca.shared.global.8(
; SHARED-NEXT: addrspacecast
; SHARED-NEXT: call void @__cupr_access_in_vN(ptr %t, i32 1, ptr %{{.*}}, i1 %{{.*}}, i32 2)
; SHARED-NEXT: call void @llvm.nvvm.cp.async.cg.shared.global.16.s(
define ptx_kernel void @async(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr addrspace(1) %p, ptr addrspace(3) %s, i32 %n) {
  call void @llvm.nvvm.cp.async.ca.shared.global.8(ptr addrspace(3) %s, ptr addrspace(1) %p)
  call void @llvm.nvvm.cp.async.cg.shared.global.16.s(ptr addrspace(3) %s, ptr addrspace(1) %p, i32 %n)
  ret void
}

; CHECK-LABEL: define {{.*}}void @__cupr_traced_bulk(
; CHECK: call void @__cupr_range_in_vN(ptr %t, i32 2, ptr %{{.*}}, i1 %{{.*}}, i32 1, i64
; CHECK-NEXT: call void @llvm.nvvm.cp.async.bulk.shared.cta.to.global(
; CHECK: call void @__cupr_access_vN(ptr %t, i32 3, ptr
; CHECK-NEXT: call void @llvm.nvvm.cp.async.bulk.global.to.shared.cluster(
; CHECK-NEXT: call void @llvm.nvvm.cp.async.bulk.prefetch.L2(
; CHECK-NEXT: ret void
; SHARED-LABEL: define {{.*}}void @__cupr_traced_bulk(
; SHARED: call void @__cupr_range_in_vN(ptr %t, i32 {{[0-9]+}}, ptr %{{.*}}, i1 %{{.*}}, i32 2, i64
; SHARED-NEXT: call void @llvm.nvvm.cp.async.bulk.shared.cta.to.global(
; SHARED: addrspacecast ptr addrspace(7) %c to ptr
; SHARED-NEXT: call void @__cupr_access_in_vN(ptr %t, i32 {{[0-9]+}}, ptr %{{.*}}, i1 %{{.*}}, i32 2)
; SHARED-NEXT: call void @llvm.nvvm.cp.async.bulk.global.to.shared.cluster(
define ptx_kernel void @bulk(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr addrspace(1) %p, ptr addrspace(3) %s, ptr addrspace(7) %c, i32 %n) {
  call void @llvm.nvvm.cp.async.bulk.shared.cta.to.global(ptr addrspace(1) %p, ptr addrspace(3) %s, i32 %n, i64 0, i1 false)
  call void @llvm.nvvm.cp.async.bulk.global.to.shared.cluster(ptr addrspace(7) %c, ptr addrspace(3) %s, ptr addrspace(1) %p, i32 512, i16 0, i64 0, i1 false, i1 false)
  call void @llvm.nvvm.cp.async.bulk.prefetch.L2(ptr addrspace(1) %p, i32 %n, i64 0, i1 false)
  ret void
}
