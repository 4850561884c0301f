; Annotations of kernels become the back end's attributes. Other annotations stay.
; RUN: %opt_cupr -passes=cupr-compatibility -S %s | %filecheck %s
target triple = "nvptx64-nvidia-cuda"

@.managed = private constant [13 x i8] c"cupr.maxnreg\00", section "llvm.metadata"
@.cluster = private constant [18 x i8] c"cupr.cluster_dims\00", section "llvm.metadata"
@.users = private constant [4 x i8] c"own\00", section "llvm.metadata"
@.file = private constant [2 x i8] c"f\00", section "llvm.metadata"
@.one = private constant { i32 } { i32 64 }, section "llvm.metadata"
@.three = private constant { i32, i32, i32 } { i32 2, i32 1, i32 1 }, section "llvm.metadata"

; CHECK: @llvm.global.annotations = appending global [1 x {{.*}}ptr @kernel, ptr @.users
@llvm.global.annotations = appending global [3 x { ptr, ptr, ptr, i32, ptr }] [
  { ptr, ptr, ptr, i32, ptr } { ptr @kernel, ptr @.managed, ptr @.file, i32 1, ptr @.one },
  { ptr, ptr, ptr, i32, ptr } { ptr @kernel, ptr @.users, ptr @.file, i32 1, ptr null },
  { ptr, ptr, ptr, i32, ptr } { ptr @kernel, ptr @.cluster, ptr @.file, i32 1, ptr @.three }], section "llvm.metadata"

; CHECK: define ptx_kernel void @kernel() #[[A:[0-9]+]]
define ptx_kernel void @kernel() {
  ret void
}
; CHECK: attributes #[[A]] = { "nvvm.cluster_dim"="2,1,1" "nvvm.maxnreg"="64" }
