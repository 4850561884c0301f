; Copies and sets of unknown or large size, and large aggregates that are loaded and stored, become the
; loops that the back end would make, their accesses are traced one by one, at the copy's place,
; and nothing is left to report.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s
; RUN: %opt_cupr -passes=cupr-instrument-optimized %s -S -o - | %filecheck %s
; RUN: %opt_cupr -passes=cupr-instrument -pass-remarks-missed=cupr %s -o /dev/null 2>&1 | %filecheck --allow-empty --check-prefix=REMARK %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

; REMARK-NOT: not traced

; CHECK-LABEL: define {{.*}}void @__cupr_traced_copies(
; CHECK-NOT: @llvm.mem
; CHECK: call void @__cupr_access_vN(ptr %t, i32 0, ptr %[[FROM:.*]], i1 %{{.*}})
; CHECK-NEXT: %[[BYTE:.*]] = load i8, ptr %[[FROM]], align 1, !dbg ![[PLACE:[0-9]+]]
; CHECK: call void @__cupr_access_vN(ptr %t, i32 1, ptr %[[TO:.*]], i1 %{{.*}})
; CHECK-NEXT: store i8 %[[BYTE]], ptr %[[TO]], align 1, !dbg ![[PLACE]]
; CHECK-NOT: @llvm.mem
; CHECK: ret void
; CHECK-LABEL: define {{.*}}void @__cupr_traced_others(
; CHECK-NOT: @llvm.mem
; CHECK-COUNT-4: call void @__cupr_access_vN(
; CHECK: store i8 7
; CHECK-NOT: load [40 x i32]
; CHECK: ret void
; CHECK: ![[PLACE]] = !DILocation(line: 3,
define ptx_kernel void @copies(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %a, ptr %b, i64 %n) !dbg !3 {
  call void @llvm.memcpy.p0.p0.i64(ptr %a, ptr %b, i64 %n, i1 false), !dbg !4
  ret void
}

define ptx_kernel void @others(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %a, ptr %b, i64 %n) {
  call void @llvm.memmove.p0.p0.i64(ptr %a, ptr %b, i64 128, i1 false)
  call void @llvm.memset.p0.i64(ptr %a, i8 7, i64 %n, i1 false)
  %v = load [40 x i32], ptr %b, align 4
  store [40 x i32] %v, ptr %a, align 4
  ret void
}

!llvm.module.flags = !{!0}
!llvm.dbg.cu = !{!1}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !2, emissionKind: LineTablesOnly)
!2 = !DIFile(filename: "copies.cu", directory: "/home/user")
!3 = distinct !DISubprogram(name: "copies", file: !2, line: 1, unit: !1, spFlags: DISPFlagDefinition)
!4 = !DILocation(line: 3, column: 5, scope: !3)
