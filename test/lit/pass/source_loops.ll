; The loops that clang tells of: those that hold a site go to the host, in the user's columns, with what bounds them; others do not, and the
; module keeps nothing else of them.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

@cupr_edits_0 = internal addrspace(1) constant [13 x i8] c"k.cu\0A3:1+20\00\00"
@llvm.used = appending global [1 x ptr] [ptr addrspacecast (ptr addrspace(1) @cupr_edits_0 to ptr)], section "llvm.metadata"

; The store stands at column 10 of the user's line 3.
; CHECK: @__cupr_source_loops = addrspace(1) externally_initialized global {{.*}} c"do 3:3-3:30\09/src/k.cu\0Afor 2:3-4:9\09/src/k.cu\0Afunction 3:1-3:40\09/src/k.cu\0A\00"
; CHECK-NOT: cupr.source.loops
define ptx_kernel void @k(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %p) !dbg !4 {
  store i32 0, ptr %p, align 4, !dbg !5
  ret void
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!cupr.source.loops = !{!10, !11, !12, !13, !14, !15, !16, !17}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "k.cu", directory: "/src")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !{})
!4 = distinct !DISubprogram(name: "k", file: !1, line: 2, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DILocation(line: 3, column: 30, scope: !4)
!10 = !{!"for 2:3-4:9\09/src/k.cu"}
!11 = !{!"do 3:23-3:50\09/src/k.cu"}
!12 = !{!"function 3:21-3:60\09/src/k.cu"}
!13 = !{!"while 3:31-3:50\09/src/k.cu"}
!14 = !{!"for 2:3-4:9\09/src/other.cu"}
!15 = !{!"for 5:3-4:9\09/src/k.cu"}
!16 = !{!"nonsense"}
!17 = !{}
