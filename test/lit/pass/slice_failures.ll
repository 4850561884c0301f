; A way that ends in a failed assertion decides nothing: who takes it fails the launch, and nothing is claimed of that.
; RUN: %opt_cupr -passes=cupr-instrument -cupr-print-slices %s -S -o %t.ll 2> %t.txt
; RUN: %filecheck %s < %t.txt
; RUN: %filecheck --check-prefix=WHY %s < %t.txt
target triple = "nvptx64-nvidia-cuda"
%{trace_type}

; CHECK-LABEL: slice of checked:
; CHECK-NEXT: 0: access parameter0 site 0
; CHECK-NEXT: 1: access parameter0 site 1
; CHECK-NEXT: 2: exit
define ptx_kernel void @checked(ptr byval(%"struct.cupr::argument::Trace") %t, ptr %a) {
entry:
  %v = load i32, ptr %a
  %bad = icmp sgt i32 %v, 7
  br i1 %bad, label %fails, label %good
fails:
  call void @llvm.trap()
  unreachable
good:
  store i32 0, ptr %a
  ret void
}

; A thread that ends by itself does decide.
; WHY: ends is recorded: what is called here may wait for other threads, or end this one
define ptx_kernel void @ends(ptr byval(%"struct.cupr::argument::Trace") %t, ptr %a) {
entry:
  %v = load i32, ptr %a
  %bad = icmp sgt i32 %v, 7
  br i1 %bad, label %leaves, label %good
leaves:
  call void asm sideeffect "exit;", ""()
  br label %good
good:
  store i32 0, ptr %a
  ret void
}
declare void @llvm.trap()
