; Addresses and conditions that follow from the launch are derived: what they need becomes the kernel's slice, and its third
; variant records that blocks begin, nothing else. The product is not in the slice.
; RUN: %opt_cupr -passes=cupr-instrument -cupr-print-slices %s -S -o %t.ll 2>&1 | %filecheck --check-prefix=SLICE %s
; RUN: %filecheck %s < %t.ll
target triple = "nvptx64-nvidia-cuda"
%{trace_type}

; SLICE-LABEL: slice of square:
; SLICE-NEXT: 0: lt.u r0 <- threadIdx.x parameter1 i32
; SLICE-NEXT: 1: branch r0 to 2 else 7 meet nowhere
; SLICE-NEXT: 2: sext r1 <- threadIdx.x i64 of 32
; SLICE-NEXT: 3: mul r2 <- r1 4 i64
; SLICE-NEXT: 4: add r3 <- parameter0 r2 i64
; SLICE-NEXT: 5: access r3 site 0
; SLICE-NEXT: 6: access r3 site 1
; SLICE-NEXT: 7: exit

; CHECK-LABEL: define {{.*}}@__cupr_derived_square(
; CHECK: icmp eq i32 {{.*}}, 0
; CHECK: call void @__cupr_block_vN(ptr %t)
; CHECK-NOT: call void @__cupr_access
; CHECK: ret void
define ptx_kernel void @square(ptr byval(%"struct.cupr::argument::Trace") %t, ptr %a, i32 %n) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp ult i32 %x, %n
  br i1 %in, label %then, label %done
then:
  %p = getelementptr float, ptr %a, i32 %x
  %v = load float, ptr %p
  %w = fmul float %v, %v
  store float %w, ptr %p
  br label %done
done:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
