; Shuffles and votes that follow each other with one mask are one record in front of the first, which says how many; a load between them does not
; matter, and a barrier does. Where all lanes come together to all of a kernel's, with all named, there is none.
; RUN: %opt_cupr -passes=cupr-instrument -cupr-derive=false -cupr-synchronisation %s -S -o - | %filecheck %s
; RUN: %opt_cupr -passes=cupr-instrument -cupr-derive=false %s -S -o - | %filecheck --check-prefix=NONE %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

; NONE-NOT: call void @__cupr_access

; 2 << 32 | 0xffff, of the shuffles; then 1 << 32 of the vote, and of the shuffle behind it.
; CHECK-LABEL: define {{.*}}void @__cupr_traced_apart(
; CHECK: call void @__cupr_access_vN(ptr %t, i32 {{[0-9]+}}, ptr getelementptr (i8, ptr inttoptr (i64 65535 to ptr), i64 8589934592), i1
; CHECK-NEXT: call i32 @llvm.nvvm.shfl.sync.down.i32(i32 65535, i32 %v, i32 1, i32 31)
; CHECK-NOT: call void @__cupr_access
; CHECK: call i32 @llvm.nvvm.shfl.sync.down.i32(i32 65535, i32 %a, i32 2, i32 31)
; CHECK: call void @__cupr_access_vN(ptr %t, i32 {{[0-9]+}}, ptr getelementptr (i8, ptr inttoptr (i64 65535 to ptr), i64 4294967296), i1
; CHECK-NEXT: call i32 @llvm.nvvm.vote.ballot.sync(i32 65535
; CHECK: call void @__cupr_access_vN(ptr %t, i32 {{[0-9]+}}, ptr getelementptr (i8, ptr inttoptr (i64 65535 to ptr), i64 4294967296), i1
; CHECK-NEXT: call i32 @llvm.nvvm.shfl.sync.down.i32(i32 65535, i32 %d, i32 4, i32 31)
; The mask of a reduction is its second argument.
; CHECK: call void @__cupr_access_vN(ptr %t, i32 {{[0-9]+}}, ptr getelementptr (i8, ptr inttoptr (i64 65535 to ptr), i64 4294967296), i1
; CHECK-NEXT: call i32 @llvm.nvvm.redux.sync.add(i32 %e, i32 65535)
define ptx_kernel void @apart(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, i32 %v) {
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lower = icmp ult i32 %lane, 16
  br i1 %lower, label %some, label %end
some:
  %a = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 65535, i32 %v, i32 1, i32 31)
  %b = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 65535, i32 %a, i32 2, i32 31)
  %c = call i32 @llvm.nvvm.vote.ballot.sync(i32 65535, i1 %lower)
  %d = add i32 %b, %c
  %e = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 65535, i32 %d, i32 4, i32 31)
  %f = call i32 @llvm.nvvm.redux.sync.add(i32 %e, i32 65535)
  br label %end
end:
  ret void
}

; CHECK-LABEL: define {{.*}}void @__cupr_traced_together(
; CHECK-NOT: call void @__cupr_access
; CHECK: ret void
define ptx_kernel void @together(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, i32 %v, i32 %n) {
entry:
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop: ; as often for all lanes
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %a = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %lane, i32 %i, i32 31)
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; The same, as often as each lane says.
; CHECK-LABEL: define {{.*}}void @__cupr_traced_rounds(
; CHECK: call void @__cupr_access_vN(
; CHECK-NEXT: call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1
define ptx_kernel void @rounds(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t) {
entry:
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %a = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %lane, i32 %i, i32 31)
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %lane
  br i1 %more, label %loop, label %end
end:
  ret void
}
