; Copies by tensor maps, as inline PTX and as LLVM's intrinsics: the hook gets the map, the coordinates (of dimensions that there are not: 0), the
; offsets of im2col as the record has them, and the blocks that are written. With shared memory the box, too. What is not known is reported.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s
; RUN: %opt_cupr -passes=cupr-instrument -cupr-spaces=shared %s -S -o - | %filecheck --check-prefix=SHARED %s
; RUN: %opt_cupr -passes=cupr-instrument -pass-remarks-missed=cupr %s -o /dev/null 2>&1 | %filecheck --check-prefix=REMARK %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

; CHECK-LABEL: define {{.*}}void @__cupr_traced_ptx(
; CHECK: call void @__cupr_box_in_vN(ptr %t, i32 0, ptr %map, i1 %{{.*}}, i32 1, ptr %{{.*}}, i32 %x, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0)
; CHECK-NEXT: call void asm sideeffect "cp.async.bulk.tensor.1d
; CHECK: zext i16 %blocks to i32
; CHECK-NEXT: call void @__cupr_box_in_vN(ptr %t, i32 1, ptr %map, i1 %{{.*}}, i32 1, ptr %{{.*}}, i32 64, i32 %x, i32 0, i32 0, i32 0, i32 0, i32 %{{.*}})
; CHECK-NEXT: call void asm sideeffect "cp.async.bulk.tensor.2d
; CHECK: %[[W:.*]] = zext i16 %w to i32
; CHECK-NEXT: %[[LOW:.*]] = and i32 %[[W]], 1023
; CHECK: shl i32 %{{.*}}, 10
; CHECK: call void @__cupr_box_in_vN(ptr %t, i32 2, ptr %map, i1 %{{.*}}, i32 1, ptr %{{.*}}, i32 %x, i32 %x, i32 %x, i32 %x, i32 0, i32 %{{.*}}, i32 0)
; CHECK-NEXT: call void asm sideeffect "cp.async.bulk.tensor.4d
; CHECK: call void @__cupr_box_in_vN(ptr %t, i32 3, ptr %map, i1 %{{.*}}, i32 1, ptr %{{.*}}, i32 %x, i32 %x, i32 0, i32 0, i32 0, i32 0, i32 0)
; CHECK-NEXT: call void asm sideeffect "cp.async.bulk.tensor.2d.global
; CHECK: call void @__cupr_box_in_vN(ptr %t, i32 4, ptr %map,
; CHECK-NEXT: call void asm sideeffect "cp.reduce.async.bulk.tensor.2d
; CHECK-NOT: call void @__cupr
; CHECK: ret void
; SHARED-LABEL: define {{.*}}void @__cupr_traced_ptx(
; SHARED: call void @__cupr_box_in_vN(ptr %t, i32 0, ptr %{{.*}}, i1 %{{.*}}, i32 2, ptr %{{.*}}, i32 %x, i32 0,
; SHARED-NEXT: call void asm sideeffect "cp.async.bulk.tensor.1d
; SHARED: call void @__cupr_box_in_vN(ptr %t, i32 1, ptr %{{.*}}, i1 %{{.*}}, i32 2, ptr %{{.*}}, i32 64, i32 %x, i32 0, i32 0, i32 0, i32 0, i32 %{{.*}})
; SHARED-NEXT: call void asm sideeffect "cp.async.bulk.tensor.2d
; REMARK: not traced: {{.*}}: cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4{{.*}} (copies by a tensor map are known of tiles and of im2col)
; REMARK-NOT: not traced
define ptx_kernel void @ptx(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %map, i32 %s, i32 %bar, i32 %x, i16 %w, i16 %blocks) {
  call void asm sideeffect "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [$0], [$1, {$2}], [$3];", "r,l,r,r"(i32 %s, ptr %map, i32 %x, i32 %bar)
  call void asm sideeffect "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [$0], [$1, {$2, $3}], [$4], $5, $6;", "r,l,r,r,r,h,l"(i32 %s, ptr %map, i32 64, i32 %x, i32 %bar, i16 %blocks, i64 0)
  call void asm sideeffect "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [$0], [$1, {$2, $2, $2, $2}], [$3], {$4, $4};", "r,l,r,r,h"(i32 %s, ptr %map, i32 %x, i32 %bar, i16 %w)
  call void asm sideeffect "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [$0, {$1, $1}], [$2];", "l,r,r"(ptr %map, i32 %x, i32 %s)
  call void asm sideeffect "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [$0, {$1, $1}], [$2];", "l,r,r"(ptr %map, i32 %x, i32 %s)
  call void asm sideeffect "cp.async.bulk.prefetch.tensor.2d.L2.global.tile [$0, {$1, $1}];", "l,r"(ptr %map, i32 %x)
  call void asm sideeffect "cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes [$0], [$1, {$2, $2, $2, $2, $2}], [$3];", "r,l,r,r"(i32 %s, ptr %map, i32 %x, i32 %bar)
  ret void
}

; CHECK-LABEL: define {{.*}}void @__cupr_traced_intrinsics(
; CHECK: call void @__cupr_box_in_vN(ptr %t, i32 5, ptr %map, i1 %{{.*}}, i32 1, ptr %{{.*}}, i32 %x, i32 3, i32 0, i32 0, i32 0, i32 0, i32 0)
; CHECK-NEXT: call void @llvm.nvvm.cp.async.bulk.tensor.g2s.tile.2d(
; CHECK: %[[M:.*]] = zext i16 %blocks to i32
; CHECK-NEXT: call void @__cupr_box_in_vN(ptr %t, i32 6, ptr %map, i1 %{{.*}}, i32 1, ptr %{{.*}}, i32 %x, i32 3, i32 0, i32 0, i32 0, i32 0, i32 %[[M]])
; CHECK-NEXT: call void @llvm.nvvm.cp.async.bulk.tensor.g2s.tile.2d(
; CHECK: call void @__cupr_box_in_vN(ptr %t, i32 7, ptr %map, i1 %{{.*}}, i32 1, ptr %{{.*}}, i32 %x, i32 0,
; CHECK-NEXT: call void @llvm.nvvm.cp.async.bulk.tensor.s2g.tile.1d(
; CHECK: call void @__cupr_box_in_vN(ptr %t, i32 8, ptr %map,
; CHECK-NEXT: call void @llvm.nvvm.cp.async.bulk.tensor.reduce.add.tile.1d(
; CHECK-NEXT: ret void
; SHARED-LABEL: define {{.*}}void @__cupr_traced_intrinsics(
; SHARED: addrspacecast ptr addrspace(7) %c to ptr
; SHARED: call void @__cupr_box_in_vN(ptr %t, i32 {{[0-9]+}}, ptr %{{.*}}, i1 %{{.*}}, i32 2, ptr %{{.*}}, i32 %x, i32 3,
; SHARED-NEXT: call void @llvm.nvvm.cp.async.bulk.tensor.g2s.tile.2d(
define ptx_kernel void @intrinsics(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %map, ptr addrspace(3) %s, ptr addrspace(7) %c, i32 %x, i16 %blocks) {
  call void @llvm.nvvm.cp.async.bulk.tensor.g2s.tile.2d(ptr addrspace(7) %c, ptr addrspace(3) %s, ptr %map, i32 %x, i32 3, i16 0, i64 0, i1 false, i1 false, i32 0)
  call void @llvm.nvvm.cp.async.bulk.tensor.g2s.tile.2d(ptr addrspace(7) %c, ptr addrspace(3) %s, ptr %map, i32 %x, i32 3, i16 %blocks, i64 0, i1 true, i1 false, i32 0)
  call void @llvm.nvvm.cp.async.bulk.tensor.s2g.tile.1d(ptr addrspace(3) %s, ptr %map, i32 %x, i64 0, i1 false)
  call void @llvm.nvvm.cp.async.bulk.tensor.reduce.add.tile.1d(ptr addrspace(3) %s, ptr %map, i32 %x, i64 0, i1 false)
  ret void
}
