; Barriers of the whole block are kept, since they order accesses; what else waits for threads is not known to slices.
; RUN: %opt_cupr -passes=cupr-instrument -cupr-print-slices %s -S -o %t.ll 2> %t.txt
; RUN: %filecheck %s < %t.txt
; RUN: %filecheck --check-prefix=WHY %s < %t.txt
target triple = "nvptx64-nvidia-cuda"
%{trace_type}
@table = addrspace(1) global [64 x i32] zeroinitializer

; CHECK-LABEL: slice of waits:
; CHECK-NEXT: 0: access parameter0 site 0
; CHECK-NEXT: 1: barrier
; CHECK-NEXT: 2: add [[P:r[0-9]+]] <- variable0 8 i64
; CHECK-NEXT: 3: access [[P]] site 1
; CHECK-NEXT: 4: exit
define ptx_kernel void @waits(ptr byval(%"struct.cupr::argument::Trace") %t, ptr %a) {
  store i32 0, ptr %a
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %v = load i32, ptr addrspacecast (ptr addrspace(1) getelementptr ([64 x i32], ptr addrspace(1) @table, i64 0, i64 2) to ptr)
  ret void
}

; WHY: named is recorded: what is called here may wait for other threads, or end this one
define ptx_kernel void @named(ptr byval(%"struct.cupr::argument::Trace") %t, ptr %a) {
  store i32 0, ptr %a
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 1)
  %v = load i32, ptr %a
  ret void
}

; WHY: sometimes is recorded: data decides whether the barrier is reached
define ptx_kernel void @sometimes(ptr byval(%"struct.cupr::argument::Trace") %t, ptr %a) {
entry:
  %v = load volatile i32, ptr %a
  %is = icmp eq i32 %v, 0
  br i1 %is, label %then, label %done
then:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %done
done:
  ret void
}
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
