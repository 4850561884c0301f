; Line information goes into the site table; in the GPU's code it stays only if nobody says otherwise.
; RUN: %opt_cupr -passes=cupr-instrument,cupr-link-hooks -cupr-strip-lines %s -S -o - | %filecheck --check-prefixes=BOTH,STRIPPED %s
; RUN: %opt_cupr -passes=cupr-instrument,cupr-link-hooks %s -S -o - | %filecheck --check-prefixes=BOTH,KEPT %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; BOTH: @__cupr_site_table = {{.*}}/src/lines.cu
; STRIPPED-NOT: !dbg
; KEPT: store i32 1, ptr %a, align 4, !dbg
define ptx_kernel void @kernel(ptr %a) !dbg !4 {
  store i32 1, ptr %a, align 4, !dbg !7
  ret void, !dbg !7
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "lines.cu", directory: "/src")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 2, !"Dwarf Version", i32 2}
!4 = distinct !DISubprogram(name: "kernel", file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !6)
!6 = !{}
!7 = !DILocation(line: 2, column: 3, scope: !4)
