; A loop whose bound is an argument is in the slice, with what its counter becomes; a loop that only computes is not.
; RUN: %opt_cupr -passes=cupr-instrument -cupr-print-slices %s -S -o %t.ll 2>&1 | %filecheck %s
target triple = "nvptx64-nvidia-cuda"
%{trace_type}

; CHECK-LABEL: slice of sum:
; CHECK-NEXT: 0: move [[I:r[0-9]+]] <- 0
; CHECK-NEXT: 1: mul [[OFFSET:r[0-9]+]] <- [[I]] 4 i64
; CHECK-NEXT: 2: add [[P:r[0-9]+]] <- parameter0 [[OFFSET]] i64
; CHECK-NEXT: 3: access [[P]] site 0
; CHECK-NEXT: 4: add [[NEXT:r[0-9]+]] <- [[I]] 1 i64
; CHECK-NEXT: 5: lt.u [[MORE:r[0-9]+]] <- [[NEXT]] parameter1 i64
; CHECK-NEXT: 6: branch [[MORE]] to 7 else 9 meet 9
; CHECK-NEXT: 7: move [[I]] <- [[NEXT]]
; CHECK-NEXT: 8: jump to 1
; CHECK-NEXT: 9: access parameter0 site 1
; CHECK-NEXT: 10: exit
define ptx_kernel void @sum(ptr byval(%"struct.cupr::argument::Trace") %t, ptr %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi i32 [ 0, %entry ], [ %sum, %loop ]
  %p = getelementptr i32, ptr %a, i64 %i
  %v = load i32, ptr %p
  %sum = add i32 %s, %v
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %halve
halve:
  %h = phi i32 [ %sum, %loop ], [ %half, %halve ]
  %half = lshr i32 %h, 1
  %large = icmp ugt i32 %half, 100
  br i1 %large, label %halve, label %done
done:
  store i32 %half, ptr %a
  ret void
}
