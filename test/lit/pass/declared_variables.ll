; What clang says of variables goes to the sites of shared ones (element's type, file, line, column), and to the host for those that others
; find by name. Of an `extern` array that several files declare, the kernel's own declaration counts, or what all agree on; a part
; that the optimiser made of a variable has its place, and its type only where it is as large. The module keeps nothing else of it.
; RUN: %opt_cupr -passes=cupr-instrument -cupr-spaces=global,shared %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

%struct.Pair = type { i32, i64 }

@_ZZ4stepPfE4tile = internal addrspace(3) global [32 x [33 x float]] undef, align 4
@_ZZ4stepPfE4pair.1 = internal addrspace(3) global i64 undef, align 8
@rest = external addrspace(3) global [0 x float], align 8
@_ZN3sim5tableE = addrspace(1) externally_initialized global [4 x %struct.Pair] zeroinitializer, align 8
@limit = addrspace(4) externally_initialized global i32 7, align 4
@twice = weak addrspace(1) externally_initialized global i32 0, align 4
@_ZL4mine = internal addrspace(1) global i32 0, align 4
@elsewhere = external addrspace(1) global i32, align 4

; Strings in the order of use: the kernel of the second file has its own type of `rest`, and its place.
; CHECK: @__cupr_site_table = {{.*}}[32 x [33 x float]]\00step(float*)\00tile\00row_t\00/src/first.cu\00i64\00pair.1\00{{.*}}[0 x float]\00rest\00double\00/other/second.cu\00
; CHECK: @__cupr_declared_variables = addrspace(1) externally_initialized global {{.*}} c"_ZN3sim5tableE\09__device__\097:28 16\09Pair\09tables.h\0Alimit\09__constant__\099:2 4\09int\09first.cu\0Atwice\09__device__\090:0 4\09int\09\0A\00"
; CHECK-NOT: cupr.declared.variables
define ptx_kernel void @_Z4stepPf(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %p) !dbg !10 {
  store float 1.0, ptr addrspacecast (ptr addrspace(3) @_ZZ4stepPfE4tile to ptr), align 4
  store i64 1, ptr addrspacecast (ptr addrspace(3) @_ZZ4stepPfE4pair.1 to ptr), align 8
  ret void
}

define ptx_kernel void @_Z5otherPf(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %p) !dbg !11 {
  store double 1.0, ptr addrspacecast (ptr addrspace(3) @rest to ptr), align 8
  ret void
}

!llvm.dbg.cu = !{!0, !1}
!llvm.module.flags = !{!2, !3}
!cupr.declared.variables = !{!20, !21, !22, !23, !24, !25, !26, !27, !28, !29}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !4, emissionKind: LineTablesOnly)
!1 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !5, emissionKind: LineTablesOnly)
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 2, !"Dwarf Version", i32 2}
!4 = !DIFile(filename: "first.cu", directory: "/src")
!5 = !DIFile(filename: "second.cu", directory: "/other")
!6 = !DISubroutineType(types: !7)
!7 = !{}
!10 = distinct !DISubprogram(name: "step", file: !4, line: 1, type: !6, unit: !0, spFlags: DISPFlagDefinition)
!11 = distinct !DISubprogram(name: "other", file: !5, line: 1, type: !6, unit: !1, spFlags: DISPFlagDefinition)
!20 = !{!0, !"_ZZ4stepPfE4tile", !"", !"2:20 4\09row_t\09first.cu"}
!21 = !{!0, !"_ZZ4stepPfE4pair", !"", !"3:20 16\09Pair\09first.cu"}
!22 = !{!0, !"rest", !"", !"4:20 4\09float\09first.cu"}
!23 = !{!1, !"rest", !"", !"4:20 8\09double\09second.cu"}
!24 = !{!1, !"_ZN3sim5tableE", !"", !"7:28 16\09Pair\09tables.h"}
!25 = !{!0, !"limit", !"", !"9:2 4\09int\09first.cu"}
!26 = !{!0, !"_ZL4mine", !"", !"10:2 4\09int\09first.cu"}
!27 = !{!0, !"limit", !"", !"damaged"}
!28 = !{!0, !"twice", !"", !"11:2 4\09int\09first.cu"}
!29 = !{!1, !"twice", !"", !"11:2 4\09int\09second.cu"}
