; A kernel that launches another one needs the device runtime: said with the place of the first call.
; RUN: %not %opt_cupr -passes=cupr-part %s -S -o /dev/null 2>&1 | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK: error: nested.cu:7: device code calls __cudaCDP2GetParameterBuffer: {{.*}}cudadevrt
declare ptr @__cudaCDP2GetParameterBuffer(i64, i64)

; A name that only begins like that is a function of the user's.
; CHECK-NOT: cudart
declare void @cudart()

define ptx_kernel void @kernel() !dbg !4 {
  %p = call ptr @__cudaCDP2GetParameterBuffer(i64 8, i64 8), !dbg !5
  call void @cudart()
  ret void
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "nested.cu", directory: "/src")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !{})
!4 = distinct !DISubprogram(name: "kernel", file: !1, line: 5, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DILocation(line: 7, column: 3, scope: !4)
