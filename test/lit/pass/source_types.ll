; What clang says of types goes into the site table, by place and size: names and layouts. A pointer is one in LLVM, too. What is of
; another size, or at another place, has none, and neither has the pointer behind a reference. The module keeps nothing of it.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK: @__cupr_site_table = {{.*}}i32\00unsigned int\00{{.*}}<2 x i32>\00i64\00ptr\00Node *\00void *\00Pair\00{0 float x;4 float y}\00{{[^a-z]*}}, align 8
; CHECK-NOT: cupr.access.types
; CHECK-NOT: double
define ptx_kernel void @kernel(ptr %a) !dbg !4 {
  %1 = load i32, ptr %a, align 4, !dbg !7
  %2 = load <2 x i32>, ptr %a, align 8, !dbg !7
  %3 = load i64, ptr %a, align 8, !dbg !8
  %4 = load ptr, ptr %a, align 8, !dbg !8
  %5 = load i64, ptr %a, align 8, !dbg !9
  %6 = load i32, ptr %a, align 4, !dbg !10
  %7 = load ptr, ptr %a, align 8, !dbg !12
  ret void, !dbg !7
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!cupr.access.types = !{!11}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "types.cu", directory: "/src")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 2, !"Dwarf Version", i32 2}
!4 = distinct !DISubprogram(name: "kernel", file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !6)
!6 = !{}
!7 = !DILocation(line: 2, column: 3, scope: !4)
!8 = !DILocation(line: 3, column: 3, scope: !4)
!9 = !DILocation(line: 4, column: 3, scope: !4)
!10 = !DILocation(line: 5, column: 3, scope: !4)
!11 = !{!4, !"2:3 4 unsigned int\0A3:3 8 Node *\09void *\0A4:3 8 Pair\09{0 float x;4 float y}\0A6:3 8 double\0A9:3 4 unsigned long\0A"}
!12 = !DILocation(line: 6, column: 3, scope: !4)
