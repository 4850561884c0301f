; With device linking, the entry of a managed variable says so, and names the pointer.
; RUN: %opt_cupr -passes=cupr-compatibility -S %s | %filecheck %s
target triple = "x86_64-pc-linux-gnu"

; CHECK: @.entry = weak constant %entry { i64 0, i16 1, i16 2, i32 9, ptr @m.managed, ptr @name, i64 4, i64 0, ptr null }
; CHECK: @m.managed = global ptr null
%entry = type { i64, i16, i16, i32, ptr, ptr, i64, i64, ptr }
@m = global i32 undef, section "cupr.managed"
@name = internal constant [2 x i8] c"m\00"
@.entry = weak constant %entry { i64 0, i16 1, i16 2, i32 8, ptr @m, ptr @name, i64 4, i64 0, ptr null }, section "llvm_offload_entries"
