; What a part offers to other parts and wants from them: without the trace parameter. Kernels, too, which those of other files may launch.
; RUN: %opt_cupr -passes=cupr-part -cupr-part-symbols=%t %s -S -o - | %filecheck %s --check-prefix=IR
; RUN: %filecheck %s --match-full-lines --input-file=%t

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-NOT: {{wanted|strong|weak}}
; CHECK: wanted elsewhere
; CHECK-NEXT: wanted f(int)
; CHECK-NEXT: strong g()
; CHECK-NEXT: weak int h<int>(int)
; CHECK-NEXT: strong kernel(int*)
; CHECK-NEXT: strong table
; CHECK-NOT: {{wanted|strong|weak}}

@table = addrspace(4) externally_initialized constant [2 x i32] [i32 1, i32 2], align 4
@elsewhere = external addrspace(1) global i32
@usedByHostOnly = external addrspace(1) global i32
@tile = external addrspace(3) global [0 x i32]
@threadIdx = extern_weak addrspace(1) global i8
@own = internal addrspace(1) global i32 0
; IR-NOT: __clang_gpu_used_external
@__clang_gpu_used_external = internal global [1 x ptr] [ptr addrspacecast (ptr addrspace(1) @usedByHostOnly to ptr)]
@llvm.compiler.used = appending global [1 x ptr] [ptr @__clang_gpu_used_external], section "llvm.metadata"

declare i32 @_Z1fRKN4cupr8argument5TraceEi(ptr, i32)
declare i32 @_Z6unusedv()
declare i32 @vprintf(ptr, ptr)
declare ptr @__cupr_current_vN()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

define i32 @_Z1gRKN4cupr8argument5TraceE(ptr %trace) {
  %t = call ptr @__cupr_current_vN()
  %p = call i32 @vprintf(ptr null, ptr addrspacecast (ptr addrspace(1) @threadIdx to ptr))
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %v = call i32 @_Z1fRKN4cupr8argument5TraceEi(ptr %t, i32 %x)
  %e = load i32, ptr addrspace(1) @elsewhere
  store i32 %e, ptr addrspace(3) @tile
  ret i32 %v
}

define linkonce_odr i32 @_Z1hIiEiT_(i32 %i) {
  ret i32 %i
}

define internal void @_ZL6hiddenv() {
  ret void
}

define ptx_kernel void @_Z6kernelPi(ptr %p) {
  call void @_ZL6hiddenv()
  ret void
}
