; What is executed is recorded where each part of a function begins whose instructions run together. A part has a site for each line, which
; are numbered one behind the other; records are of the first.
; RUN: %opt_cupr -passes=cupr-instrument -cupr-derive=false -cupr-instructions -cupr-static-report=%t.txt %s -S -o - | %filecheck %s
; RUN: %opt_cupr -passes=cupr-instrument -cupr-derive=false -cupr-instructions %s -S -o - | %filecheck --check-prefix=TABLE %s
; The static report is about accesses.
; RUN: %filecheck --check-prefix=REPORT --input-file=%t.txt %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

; In front of the branch and behind it: line 1, line 2, and the load at line 3 behind the join. Sites 0 to 2; the load's own is 4, since
; accesses are numbered as they stand.
; CHECK-LABEL: define {{.*}}void @__cupr_traced_diamond(
; CHECK: entry:
; CHECK: call void @__cupr_access_vN(ptr %t, i32 0, ptr null, i1 %cupr.recording)
; CHECK: then:
; CHECK: call void @__cupr_access_vN(ptr %t, i32 3, ptr null, i1 %cupr.recording)
; CHECK: call void @__cupr_access_vN(ptr %t, i32 4, ptr %a, i1 %cupr.recording)
; CHECK: end:
; CHECK-NOT: ptr null
; CHECK: call void @__cupr_access_vN(ptr %t, i32 5, ptr %a, i1 %cupr.recording)
define ptx_kernel void @diamond(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr addrspace(1) %a.g, i32 %x) !dbg !10 {
entry:
  %a = addrspacecast ptr addrspace(1) %a.g to ptr, !dbg !20
  %y = add i32 %x, 3, !dbg !20
  %c = icmp eq i32 %y, 7, !dbg !21
  br i1 %c, label %then, label %end, !dbg !21
then:
  store i32 1, ptr %a, align 4, !dbg !22
  br label %end, !dbg !22
end:
  %v = load i32, ptr %a, align 4, !dbg !23
  ret void, !dbg !23
}

; A loop goes round by itself; what is behind it runs with what is in front of it. A part that may end the thread runs with nothing.
; CHECK-LABEL: define {{.*}}void @__cupr_traced_loop(
; CHECK: entry:
; CHECK: call void @__cupr_access_vN(ptr %t, i32 6, ptr null
; CHECK: around:
; CHECK: call void @__cupr_access_vN(ptr %t, i32 8, ptr null
; CHECK: behind:
; CHECK-NOT: ptr null
; CHECK: fails:
; CHECK: call void @__cupr_access_vN(ptr %t, i32 9, ptr null
; CHECK: goes_on:
; CHECK: call void @__cupr_access_vN(ptr %t, i32 10, ptr null
define ptx_kernel void @loop(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr addrspace(1) %a, float %f, i32 %n) !dbg !11 {
entry:
  %g = fmul contract float %f, 2.0, !dbg !30
  br label %around, !dbg !30
around:
  %i = phi i32 [ 0, %entry ], [ %j, %around ]
  %j = add i32 %i, 1, !dbg !31
  %more = icmp slt i32 %j, %n, !dbg !31
  br i1 %more, label %around, label %behind, !dbg !31
behind:
  %p = icmp eq i32 %n, 9, !dbg !32
  br i1 %p, label %fails, label %goes_on, !dbg !32
fails:
  call void @llvm.trap(), !dbg !33
  unreachable, !dbg !33
goes_on:
  %h = fadd contract float %g, 1.0, !dbg !34
  store float %h, ptr addrspace(1) %a, align 4, !dbg !34
  ret void, !dbg !34
}

; The table's strings. A product and a sum that are rounded together are one instruction where they stand in one block: these do not.
; TABLE: @__cupr_site_table = {{.*}}compute.int32.add=1\00
; TABLE-SAME: compute.int32.compare=1 control.branch=1\00
; TABLE-SAME: control.exit=1 memory.global.load.32=1\00
; TABLE-SAME: memory.global.store.32=1\00
; TABLE-SAME: compute.fp32.multiply=1\00
; TABLE-SAME: compute.int32.add=1 compute.int32.compare=1 control.branch=1\00
; TABLE-SAME: compute.fp32.add=1 control.exit=1 memory.global.store.32=1\00

; REPORT-NOT: instructions

declare void @llvm.trap()

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "a.cu", directory: "/nowhere")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !{})
!10 = distinct !DISubprogram(name: "diamond", file: !1, line: 1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!11 = distinct !DISubprogram(name: "loop", file: !1, line: 10, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!20 = !DILocation(line: 1, column: 3, scope: !10)
!21 = !DILocation(line: 2, column: 3, scope: !10)
!22 = !DILocation(line: 3, column: 3, scope: !10)
!23 = !DILocation(line: 4, column: 3, scope: !10)
!30 = !DILocation(line: 11, column: 3, scope: !11)
!31 = !DILocation(line: 12, column: 3, scope: !11)
!32 = !DILocation(line: 13, column: 3, scope: !11)
!33 = !DILocation(line: 14, column: 3, scope: !11)
!34 = !DILocation(line: 15, column: 3, scope: !11)
