; An intrinsic that may reach memory through a pointer and is not known is named; one that only looks like it (no
; memory, a hint, a barrier object) is not.
; RUN: %opt_cupr -passes=cupr-instrument -pass-remarks-missed=cupr %s -o /dev/null 2>&1 | %filecheck %s
; RUN: %opt_cupr -passes=cupr-instrument -cupr-spaces=shared -pass-remarks-missed=cupr %s -o /dev/null 2>&1 | %filecheck --check-prefix=SHARED %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

; CHECK: remark: unknown.cu:7:3: not traced: the intrinsic llvm.nvvm.tensormap.replace.rank.p1 may access memory and is not known
; CHECK-NEXT: not traced: the intrinsic llvm.masked.gather.v2i32.v2p0 may access memory and is not known
; CHECK-NEXT: not traced: textures and surfaces have coordinates, not addresses: --spaces=global,texture records them
; CHECK-NOT: not traced
; SHARED: not traced: the intrinsic llvm.masked.gather.v2i32.v2p0 may access memory and is not known
; SHARED-NEXT: not traced: the intrinsic llvm.nvvm.clusterlaunchcontrol.try_cancel.async.shared may access memory and is not known
; SHARED-NOT: not traced
define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr addrspace(1) %map, ptr %p, ptr addrspace(3) %s, <2 x ptr> %all, <2 x i1> %m, ptr addrspace(6) %tensor) !dbg !3 {
  call void @llvm.nvvm.tensormap.replace.rank.p1(ptr addrspace(1) %map, i32 2), !dbg !4
  %g = call <2 x i32> @llvm.masked.gather.v2i32.v2p0(<2 x ptr> align 4 %all, <2 x i1> %m, <2 x i32> zeroinitializer)
  call void @llvm.nvvm.clusterlaunchcontrol.try_cancel.async.shared(ptr addrspace(3) %s, ptr addrspace(3) %s)
  %x = call { float, float, float, float } @llvm.nvvm.tex.unified.1d.v4f32.f32(i64 0, float 0.0)
  call void @llvm.nvvm.prefetch.global.L2(ptr addrspace(1) %map)
  call void @llvm.nvvm.discard.L2(ptr %p, i64 128)
  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) %s, i32 1)
  %q = call i1 @llvm.nvvm.isspacep.shared(ptr %p)
  %l = call i32 @llvm.nvvm.tcgen05.ld.32x32b.x1(ptr addrspace(6) %tensor, i1 false)
  ret void
}

!llvm.module.flags = !{!0}
!llvm.dbg.cu = !{!1}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !2, emissionKind: LineTablesOnly)
!2 = !DIFile(filename: "unknown.cu", directory: "/home/user")
!3 = distinct !DISubprogram(name: "kernel", file: !2, line: 1, unit: !1, spFlags: DISPFlagDefinition)
!4 = !DILocation(line: 7, column: 3, scope: !3)
