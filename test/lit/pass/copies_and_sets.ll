; A short copy of constant length is a load and a store of that length: the back end makes straight-line
; code of it, and leaves it to us as it is.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

; CHECK: call void @__cupr_access_vN(ptr %t, i32 0, ptr %b, i1 %{{.*}})
; CHECK-NEXT: call void @__cupr_access_vN(ptr %t, i32 1, ptr %a, i1 %{{.*}})
; CHECK-NEXT: call void @llvm.memcpy.p0.p0.i64(ptr %a, ptr %b, i64 127
; CHECK-NEXT: call void @__cupr_access_vN(ptr %t, i32 2, ptr %a, i1 %{{.*}})
; CHECK-NEXT: call void @llvm.memset.p0.i64(ptr %a, i8 0, i64 12
; CHECK-NEXT: ret void
define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %a, ptr %b) {
  call void @llvm.memcpy.p0.p0.i64(ptr %a, ptr %b, i64 127, i1 false)
  call void @llvm.memset.p0.i64(ptr %a, i8 0, i64 12, i1 false)
  ret void
}
