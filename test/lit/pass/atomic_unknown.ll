; An operation that the pass does not know is an error where it stands, and not taken for another. The IR's text has none;
; the plugin puts one in the place of `nand`.
; RUN: %not %opt_spoiled -passes='function(spoil-atomics),cupr-instrument' %s -o /dev/null 2>&1 | %filecheck %s
; RUN: %opt_cupr -passes=cupr-instrument %s -o /dev/null

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK: error: {{.*}}heat.cu:12:7: in function {{.*}}kernel
; CHECK-SAME: no kind of operation is known for atomicrmw
; CHECK-NOT: heat.cu:13
define ptx_kernel void @kernel(ptr %p) !dbg !4 {
  %a = atomicrmw nand ptr %p, i32 1 monotonic, align 4, !dbg !5
  %b = atomicrmw add ptr %p, i32 1 monotonic, align 4, !dbg !6
  ret void
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "heat.cu", directory: "/src")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !{})
!4 = distinct !DISubprogram(name: "kernel", file: !1, line: 10, type: !3, unit: !0)
!5 = !DILocation(line: 12, column: 7, scope: !4)
!6 = !DILocation(line: 13, column: 7, scope: !4)
