; Accesses of shared memory are derived, too. Where variables lie is decided when the kernel is assembled, so its first block says it, of those
; as well that are not accessed. A place is no generic address: what makes something else of one than addresses is not determined.
; RUN: %opt_cupr -passes=cupr-instrument -cupr-spaces=global,shared -cupr-print-slices %s -S -o %t.ll 2>&1 | %filecheck --check-prefix=SLICE %s
; RUN: %filecheck %s < %t.ll
; RUN: %opt_cupr -passes=cupr-instrument -cupr-spaces=global,shared,local %s -S -o - | %filecheck %s
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
%{trace_type}

@tile = internal addrspace(3) global [64 x float] undef, align 4
@spare = internal addrspace(3) global [4 x i32] undef, align 4

; SLICE: compare is recorded: its address depends on data
; SLICE: either is recorded:
; SLICE-LABEL: slice of square:
; SLICE: mul r{{[0-9]+}} <- {{.*}} 4 i64
; SLICE: add [[AT:r[0-9]+]] <- shared@site[[TILE:[0-9]+]] r{{[0-9]+}} i64
; SLICE: access [[AT]] site
; SLICE: barrier
; SLICE: access [[AT]] site
; SLICE-NOT: slice of

; CHECK-LABEL: define {{.*}}@__cupr_derived_square(
; CHECK: call void @__cupr_block_vN(ptr %t)
; CHECK-NEXT: call void @__cupr_place_vN(ptr %t, i32 0, ptr addrspacecast (ptr addrspace(3) @tile{{[.a-z]*}} to ptr))
; CHECK-NEXT: call void @__cupr_place_vN(ptr %t, i32 1, ptr addrspacecast (ptr addrspace(3) @spare{{[.a-z]*}} to ptr))
; CHECK-NOT: call void @__cupr_access
; CHECK: ret void
define ptx_kernel void @square(ptr byval(%"struct.cupr::argument::Trace") %t, ptr %a) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %x to i64
  %p = getelementptr float, ptr %a, i64 %i
  %s = getelementptr float, ptr addrspacecast (ptr addrspace(3) @tile to ptr), i64 %i
  %v = load float, ptr %p
  store float %v, ptr %s
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %w = load float, ptr %s
  store float %w, ptr %p
  call void @keep(ptr addrspacecast (ptr addrspace(3) @spare to ptr))
  ret void
}
define internal void @keep(ptr %p) noinline {
  ret void
}

define ptx_kernel void @compare(ptr byval(%"struct.cupr::argument::Trace") %t, ptr %a) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %x to i64
  %s = getelementptr float, ptr addrspacecast (ptr addrspace(3) @tile to ptr), i64 %i
  %n = ptrtoint ptr %s to i64
  %m = and i64 %n, 12
  %p = getelementptr float, ptr %a, i64 %m
  %v = load float, ptr %p
  store float %v, ptr %s
  ret void
}
; It may be of the table in shared memory: slices look up what global memory held.
define ptx_kernel void @either(ptr byval(%"struct.cupr::argument::Trace") %t, ptr %a, ptr %table, i1 %local) {
  %p = select i1 %local, ptr addrspacecast (ptr addrspace(3) @tile to ptr), ptr %table
  %n = load i32, ptr %p
  %q = getelementptr float, ptr %a, i32 %n
  %v = load float, ptr %q
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
