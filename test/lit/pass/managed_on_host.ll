; Host code reaches a managed variable by a pointer that the runtime sets.
; RUN: %opt_cupr -passes=cupr-compatibility -S %s | %filecheck %s
target triple = "x86_64-pc-linux-gnu"

; The shadows are gone.
; CHECK-NOT: @{{m|list|far}} =
; CHECK-DAG: @m.managed = internal global ptr null
; CHECK-DAG: @list.managed = internal global ptr null
; CHECK-DAG: @far.managed = external global ptr
@m = internal global i32 undef, section "cupr.managed"
@list = internal global [4 x i32] undef, section "cupr.managed"
@far = external global i32, section "cupr.managed"
@name = private constant [2 x i8] c"m\00"

; What holds an address from the start gets it from a constructor.
; CHECK-DAG: @holder = global { i32, ptr } zeroinitializer
; CHECK-DAG: @llvm.global_ctors = {{.*}}@list.addresses
@holder = constant { i32, ptr } { i32 7, ptr getelementptr (i8, ptr @list, i64 8) }

; CHECK-DAG: @llvm.compiler.used = appending global [1 x ptr] [ptr @holder]
@llvm.compiler.used = appending global [2 x ptr] [ptr @m, ptr @holder], section "llvm.metadata"

define void @registration(ptr %handle) {
; CHECK-LABEL: @registration
; CHECK: call void @__cudaRegisterManagedVar(ptr %handle, ptr @m.managed, ptr @name, ptr @name, i32 0, i64 4, i32 0, i32 0)
  call void @__cudaRegisterVar(ptr %handle, ptr @m, ptr @name, ptr @name, i32 0, i64 4, i32 0, i32 0)
  ret void
}

define i32 @use(i1 %which) {
; CHECK-LABEL: @use
; CHECK: %[[M:.*]] = call ptr @m.managed.get()
; CHECK: store i32 5, ptr %[[M]]
  store i32 5, ptr @m
; CHECK: call ptr @list.managed.get()
; CHECK: getelementptr
  store i32 6, ptr getelementptr (i8, ptr @list, i64 4)
  br i1 %which, label %one, label %two
one:
; CHECK: one:
; CHECK: %[[ONE:.*]] = call ptr @m.managed.get()
  br label %end
two:
; CHECK: two:
; CHECK: %[[TWO:.*]] = call ptr @far.managed.get()
  br label %end
end:
; CHECK: phi ptr [ %[[ONE]], %one ], [ %[[TWO]], %two ]
  %p = phi ptr [ @m, %one ], [ @far, %two ]
  %value = load i32, ptr %p
  ret i32 %value
}

declare void @__cudaRegisterVar(ptr, ptr, ptr, ptr, i32, i64, i32, i32)

; CHECK: define internal ptr @m.managed.get()
; CHECK: load ptr, ptr @m.managed
; CHECK: call ptr @__cupr_managed_vN(ptr @m.managed)
; CHECK: define internal void @list.addresses()
; CHECK: call ptr @list.managed.get()
; CHECK: store { i32, ptr } %{{.*}}, ptr @holder
