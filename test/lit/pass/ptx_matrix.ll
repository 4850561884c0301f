; Matrix loads and stores: ldmatrix reads a row per lane, of the first lanes; a wmma tile is recorded line by line.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s
; RUN: %opt_cupr -passes=cupr-instrument -cupr-spaces=shared %s -S -o - | %filecheck --check-prefix=SHARED %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

; CHECK-LABEL: define {{.*}}void @__cupr_traced_rows(
; CHECK-NOT: call void @__cupr
; CHECK: ret void
; SHARED-LABEL: define {{.*}}void @__cupr_traced_rows(
; SHARED: %[[LANE:.*]] = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
; SHARED-NEXT: %[[FIRST:.*]] = icmp ult i32 %[[LANE]], 16
; SHARED-NEXT: br i1 %[[FIRST]]
; SHARED: call void @__cupr_access_in_vN(ptr %t, i32 0, ptr %{{.*}}, i1 %{{.*}}, i32 2)
; SHARED: call void @__cupr_access_in_vN(ptr %t, i32 1, ptr %{{.*}}, i1 %{{.*}}, i32 2)
; SHARED-NEXT: call void asm sideeffect "stmatrix
define ptx_kernel void @rows(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, i32 %s) {
  call { i32, i32 } asm sideeffect "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {$0, $1}, [$2];", "=r,=r,r"(i32 %s)
  call void asm sideeffect "stmatrix.sync.aligned.m8n8.x4.shared.b16 [$0], {$1, $1, $1, $1};", "r,r"(i32 %s, i32 0)
  ret void
}

; A row of a is 16 halves, and there are 16 of them, %stride halves apart.
; CHECK-LABEL: define {{.*}}void @__cupr_traced_tile(
; CHECK: %[[LANE:.*]] = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
; CHECK-NEXT: %[[FIRST:.*]] = icmp ult i32 %[[LANE]], 16
; CHECK-NEXT: br i1 %[[FIRST]]
; CHECK: %[[L:.*]] = zext i32 %{{.*}} to i64
; CHECK-NEXT: %[[S:.*]] = sext i32 %stride to i64
; CHECK-NEXT: %[[E:.*]] = mul i64 %[[L]], %[[S]]
; CHECK-NEXT: %[[B:.*]] = mul i64 %[[E]], 2
; CHECK-NEXT: %[[A:.*]] = getelementptr i8, ptr %p, i64 %[[B]]
; CHECK-NEXT: call void @__cupr_access_vN(ptr %t, i32 0, ptr %[[A]], i1 %{{.*}})
; SHARED-LABEL: define {{.*}}void @__cupr_traced_tile(
; SHARED-NOT: call void @__cupr
; SHARED: ret void
define ptx_kernel void @tile(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %p, i32 %stride) {
  call { i32, i32 } asm sideeffect "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {$0, $1, _, _, _, _, _, _}, [$2], $3;", "=r,=r,l,r"(ptr %p, i32 %stride)
  ret void
}

; wmma.mma has no memory operand.
; CHECK-LABEL: define {{.*}}void @__cupr_traced_product(
; CHECK-NOT: call void @__cupr
; CHECK: ret void
define ptx_kernel void @product(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t) {
  call i32 asm sideeffect "wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16 {$0}, {$1}, {$1}, {$1};", "=r,r"(i32 0)
  ret void
}
