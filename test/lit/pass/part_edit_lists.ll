; Two files of one name, compiled in different folders, keep their own edit lists when they are linked:
; the column of each is mapped by its own.
; RUN: rm -rf %t && split-file %s %t
; RUN: %opt_cupr -passes=cupr-part %t/a.ll -o %t/a.bc
; RUN: %opt_cupr -passes=cupr-part %t/b.ll -o %t/b.bc
; RUN: llvm-link-22 %t/a.bc %t/b.bc -o %t/joined.bc
; RUN: llvm-dis-22 %t/joined.bc -o - | %filecheck %s
; CHECK-DAG: c"/src/a/k.cu\0A3:1+10\00"
; CHECK-DAG: c"/src/b/k.cu\0A3:1+20\00"
; RUN: %opt_cupr -passes=cupr-instrument %t/joined.bc -o %t/instrumented.bc
; RUN: llvm-dis-22 %t/instrumented.bc -o - | %filecheck %s --check-prefix=SITES
; SITES-NOT: cupr_edits
; The sites hold line 3 and the columns 30 - 10 and 30 - 20.
; SITES: @__cupr_site_table ={{.*}}\03\00\00\00\14\00\00\00{{.*}}\03\00\00\00\0A\00\00\00

;--- a.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
%{trace_type}
@cupr_edits_0 = internal addrspace(1) constant [15 x i8] c"./k.cu\0A3:1+10\00\00"
@llvm.used = appending global [1 x ptr] [ptr addrspacecast (ptr addrspace(1) @cupr_edits_0 to ptr)], section "llvm.metadata"
define ptx_kernel void @ka(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %p) !dbg !4 {
  store i32 0, ptr %p, align 4, !dbg !5
  ret void
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "k.cu", directory: "/src/a")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !{})
!4 = distinct !DISubprogram(name: "ka", file: !1, line: 2, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DILocation(line: 3, column: 30, scope: !4)

;--- b.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
%{trace_type}
@cupr_edits_0 = internal addrspace(1) constant [13 x i8] c"k.cu\0A3:1+20\00\00"
@llvm.used = appending global [1 x ptr] [ptr addrspacecast (ptr addrspace(1) @cupr_edits_0 to ptr)], section "llvm.metadata"
define ptx_kernel void @kb(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %p) !dbg !4 {
  store i32 0, ptr %p, align 4, !dbg !5
  ret void
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "k.cu", directory: "/src/b")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !{})
!4 = distinct !DISubprogram(name: "kb", file: !1, line: 2, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DILocation(line: 3, column: 30, scope: !4)
