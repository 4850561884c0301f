; Indices, conditions and lengths that the launch finds in memory are looked up, where the kernel leaves that memory alone: the slice
; says which parameters such addresses are made from, and which those that the kernel writes to.
; RUN: %opt_cupr -passes=cupr-instrument -cupr-print-slices %s -S -o %t.ll 2>&1 | %filecheck %s
target triple = "nvptx64-nvidia-cuda"
%{trace_type}

; CHECK-LABEL: slice of scatter:
; CHECK-NEXT: looks up parameter1
; CHECK-NEXT: looks up parameter2
; CHECK-NEXT: must not meet parameter0
; CHECK-NEXT: 0: mul r0 <- threadIdx.x 4 i32
; CHECK-NEXT: 1: sext r1 <- r0 i64 of 32
; CHECK-NEXT: 2: add r2 <- parameter1 r1 i64
; CHECK-NEXT: 3: access r2 site 0
; CHECK-NEXT: 4: load r3 <- r2 i32
; CHECK-NEXT: 5: fcmp r4 <- r3 0 i32 of 2
; CHECK-NEXT: 6: branch r4 to 7 else 15 meet nowhere
; CHECK-NEXT: 7: sext r5 <- r0 i64 of 32
; CHECK-NEXT: 8: add r6 <- parameter2 r5 i64
; CHECK-NEXT: 9: access r6 site 1
; CHECK-NEXT: 10: load r7 <- r6 i16
; CHECK-NEXT: 11: move r8 <- r7
; CHECK-NEXT: 12: mul r9 <- r8 4 i64
; CHECK-NEXT: 13: add r10 <- parameter0 r9 i64
; CHECK-NEXT: 14: access r10 site 2
; CHECK-NEXT: 15: exit
define ptx_kernel void @scatter(ptr byval(%"struct.cupr::argument::Trace") %t, ptr %a, ptr %level, ptr %index) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %x4 = mul i32 %x, 4
  %p = getelementptr i8, ptr %level, i32 %x4
  %v = load float, ptr %p
  %is = fcmp ogt float %v, 0.0
  br i1 %is, label %then, label %done
then:
  %q = getelementptr i8, ptr %index, i32 %x4
  %i = load i16, ptr %q
  %wide = zext i16 %i to i64
  %r = getelementptr float, ptr %a, i64 %wide
  store float %v, ptr %r
  br label %done
done:
  ret void
}

; What it only copies is not looked up.
; CHECK-LABEL: slice of copy:
; CHECK-NOT: looks up
; CHECK-NOT: load
; CHECK: exit
define ptx_kernel void @copy(ptr byval(%"struct.cupr::argument::Trace") %t, ptr %a, ptr %b) {
  %v = load i32, ptr %b
  store i32 %v, ptr %a
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
