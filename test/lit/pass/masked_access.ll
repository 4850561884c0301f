; Neighbours with gaps become masked vector accesses. A load reads all of the vector, a store each run of elements. What
; has a mask that is not constant is reported.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s
; RUN: %opt_cupr -passes=cupr-instrument -pass-remarks-missed=cupr %s -o /dev/null 2>&1 | %filecheck --check-prefix=REMARK %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

declare <4 x i32> @llvm.masked.load.v4i32.p0(ptr, <4 x i1>, <4 x i32>)
declare void @llvm.masked.store.v4i32.p0(<4 x i32>, ptr, <4 x i1>)

; CHECK-LABEL: define dso_local ptx_kernel void @__cupr_traced_kernel(
; CHECK: call void @__cupr_access_vN(ptr %t, i32 0, ptr %a, i1 %{{.*}})
; CHECK-NEXT: %v = call <4 x i32> @llvm.masked.load
; CHECK-NEXT: call void @__cupr_access_vN(ptr %t, i32 1, ptr %b, i1 %{{.*}})
; CHECK-NEXT: %[[LAST:.*]] = getelementptr i8, ptr %b, i64 12
; CHECK-NEXT: call void @__cupr_access_vN(ptr %t, i32 2, ptr %[[LAST]], i1 %{{.*}})
; CHECK-NEXT: call void @llvm.masked.store
; CHECK-NEXT: call <4 x i32> @llvm.masked.load
; REMARK: not traced: the intrinsic llvm.masked.load.v4i32.p0: its mask is not a constant
define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %a, ptr %b, <4 x i1> %m) {
  %v = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr align 16 %a, <4 x i1> <i1 true, i1 false, i1 false, i1 true>, <4 x i32> poison)
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %v, ptr align 16 %b, <4 x i1> <i1 true, i1 true, i1 false, i1 true>)
  %w = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr align 16 %a, <4 x i1> %m, <4 x i32> poison)
  ret void
}
