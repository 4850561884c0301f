; Who enters a function says where its arrays begin, in front of all else: not of single variables, and where local memory is asked for.
; RUN: %opt_cupr -passes=cupr-instrument -cupr-derive=false -cupr-spaces=global,local %s -S -o - | %filecheck %s
; RUN: %opt_cupr -passes=cupr-instrument -cupr-derive=false %s -S -o - | %filecheck --check-prefix=NONE %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

declare i32 @vprintf(ptr, ptr)

; NONE-NOT: call void @__cupr_access
; CHECK-LABEL: define {{.*}}void @__cupr_traced_k(
; CHECK: %a = alloca [8 x i32]
; CHECK: %b = alloca { i32, [4 x i16] }
; CHECK: %one = alloca i32
; CHECK: call void @__cupr_access_in_vN(ptr %t, i32 0, ptr %a, i1 %cupr.recording, i32 8)
; CHECK-NEXT: call void @__cupr_access_in_vN(ptr %t, i32 1, ptr %b, i1 %cupr.recording, i32 8)
; CHECK-NEXT: %at = getelementptr
; CHECK-NEXT: call void @__cupr_access_in_vN(ptr %t, i32 2, ptr %at, i1 %cupr.recording, i32 8)
; CHECK-NEXT: store i32 %v, ptr %at
define ptx_kernel void @k(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, i32 %i, i32 %v) {
  %a = alloca [8 x i32]
  %b = alloca { i32, [4 x i16] }
  %one = alloca i32
  %at = getelementptr [8 x i32], ptr %a, i32 0, i32 %i
  store i32 %v, ptr %at
  %x = load i32, ptr %at
  %y = load i32, ptr %a
  store i32 %x, ptr %b
  store i32 %y, ptr %one
  %p = call i32 @vprintf(ptr null, ptr %b)
  ret void
}
