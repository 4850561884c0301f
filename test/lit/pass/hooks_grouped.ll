; Accesses that a block makes one after the other share a call. An address that needs a value that is loaded in between
; ends the group, and so does whatever synchronises.
; RUN: %opt_cupr -passes=cupr-instrument,cupr-link-hooks -cupr-inline-limit=0 %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define {{.*}} @__cupr_traced_three(
; CHECK: %q = getelementptr
; CHECK: call void @__cupr_called_accesses_3_vN(ptr {{.*}}, i1 %cupr.recording, i32 0, ptr %a, i32 1, ptr %b, i32 2, ptr %q)
; CHECK-NEXT: load volatile i32, ptr %a
; CHECK-NEXT: load volatile i32, ptr %b
; CHECK: store volatile i32 {{.*}}, ptr %q
define ptx_kernel void @three(ptr %a, ptr %b, i64 %i) {
  %x = load volatile i32, ptr %a, align 4
  %y = load volatile i32, ptr %b, align 4
  %sum = add i32 %x, %y
  %q = getelementptr i32, ptr %a, i64 %i
  store volatile i32 %sum, ptr %q, align 4
  ret void
}

; CHECK-LABEL: define {{.*}} @__cupr_traced_gather(
; CHECK: call void @__cupr_called_access_vN(ptr {{.*}}, i32 3, ptr %index,
; CHECK-NEXT: %k = load i64, ptr %index
; CHECK-NEXT: %p = getelementptr
; CHECK-NEXT: call void @__cupr_called_accesses_2_vN(ptr {{.*}}, i32 4, ptr %p, i32 5, ptr %out)
define ptx_kernel void @gather(ptr %index, ptr %in, ptr %out) {
  %k = load i64, ptr %index, align 8
  %p = getelementptr i32, ptr %in, i64 %k
  %v = load i32, ptr %p, align 4
  store i32 %v, ptr %out, align 4
  ret void
}

; CHECK-LABEL: define {{.*}} @__cupr_traced_barrier(
; CHECK: call void @__cupr_called_access_vN(
; CHECK-NEXT: store volatile i32 1, ptr %a
; CHECK-NEXT: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
; CHECK-NEXT: call void @__cupr_called_access_vN(
; CHECK-NEXT: store volatile i32 2, ptr %a
define ptx_kernel void @barrier(ptr %a) {
  store volatile i32 1, ptr %a, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store volatile i32 2, ptr %a, align 4
  ret void
}

; Seven are six and one.
; CHECK-LABEL: define {{.*}} @__cupr_traced_seven(
; CHECK: call void @__cupr_called_accesses_6_vN(
; CHECK: call void @__cupr_called_access_vN(
define ptx_kernel void @seven(ptr %a) {
  store volatile i32 1, ptr %a, align 4
  store volatile i32 2, ptr %a, align 4
  store volatile i32 3, ptr %a, align 4
  store volatile i32 4, ptr %a, align 4
  store volatile i32 5, ptr %a, align 4
  store volatile i32 6, ptr %a, align 4
  store volatile i32 7, ptr %a, align 4
  ret void
}

declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
