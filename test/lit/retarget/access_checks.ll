; An access of memory that may be global is looked at before it happens, once; one of memory that is surely
; something else is not.
; RUN: %opt_retarget %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%S = type { i64, i64 }

@variable = addrspace(1) externally_initialized global i32 0, align 4
@shared = internal addrspace(3) global [32 x i32] poison, align 4

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

; 4096 - 4 bytes of a page may lie in front of four.
; CHECK-LABEL: define internal void @looks
; CHECK: %[[ADDRESS:.*]] = ptrtoint ptr %p to i64
; CHECK: %[[TABLE:.*]] = load ptr, ptr %{{.*}}, align 8, !invariant.load
; CHECK: %[[SHIFT:.*]] = load i64, ptr %{{.*}}, align 8, !invariant.load
; CHECK: %[[PAGE:.*]] = lshr i64 %[[ADDRESS]], %[[SHIFT]]
; CHECK: getelementptr i16, ptr %[[TABLE]], i64 %[[PAGE]]
; CHECK: load i16, ptr %{{.*}}, align 2, !invariant.load
; CHECK: icmp ugt i64 %{{.*}}, 4092
; CHECK: and i64 %[[ADDRESS]], 3
; CHECK: call void @__cupr_cpu_check(i32 1, ptr %p, i64 4, i32 4, ptr null)
; CHECK: store i32 1, ptr %p
; CHECK-NOT: __cupr_cpu_check
; CHECK: load i32, ptr %p
; A larger access through the same pointer is another one; bytes have no alignment.
; CHECK: icmp ugt i64 %{{.*}}, 4088
; CHECK: call void @__cupr_cpu_check(i32 0, ptr %p, i64 8, i32 8, ptr null)
; CHECK: icmp ugt i64 %{{.*}}, 4095
; CHECK-NOT: and i64 %{{.*}}, 0
; CHECK: call void @__cupr_cpu_check(i32 1, ptr %q, i64 1, i32 1, ptr null)
; CHECK: ret void
define ptx_kernel void @looks(ptr %p, ptr %q) {
  store i32 1, ptr %p, align 4
  %v = load i32, ptr %p, align 4
  %w = load i64, ptr %p, align 8
  store i8 0, ptr %q, align 1
  ret void
}

; What was looked at on one of two ways is not known behind them.
; CHECK-LABEL: define internal void @joins
; CHECK-COUNT-2: call void @__cupr_cpu_check(i32 1, ptr %p, i64 4, i32 4, ptr null)
; CHECK: ret void
define ptx_kernel void @joins(ptr %p, i1 %c) {
  br i1 %c, label %a, label %b
a:
  store i32 1, ptr %p, align 4
  br label %b
b:
  store i32 2, ptr %p, align 4
  ret void
}

; Both sides of a copy.
; CHECK-LABEL: define internal void @copies
; CHECK: call void @__cupr_cpu_check(i32 0, ptr %q, i64 %n, i32 1, ptr null)
; CHECK: call void @__cupr_cpu_check(i32 1, ptr %p, i64 %n, i32 1, ptr null)
; CHECK: call void @llvm.memcpy
define ptx_kernel void @copies(ptr %p, ptr %q, i64 %n) {
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 %n, i1 false)
  ret void
}

; Parameters by value, variables, and what lies on the stack.
; CHECK-LABEL: define internal void @leaves
; CHECK-NOT: __cupr_cpu_check
; CHECK: ret void
define ptx_kernel void @leaves(ptr byval(%S) align 8 %s) {
  %slot = alloca i32, align 4
  store i32 0, ptr %slot, align 4
  %a = load i64, ptr %s, align 8
  %b = load i32, ptr addrspace(1) @variable, align 4
  store i32 %b, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @shared, i64 124), align 4
  ret void
}

; An index into a shared variable is held against the end of the block's frame.
; CHECK-LABEL: define internal void @indexes
; CHECK-NOT: getelementptr i16
; CHECK: call void @__cupr_cpu_check(i32 1, ptr %{{.*}}, i64 4, i32 4, ptr null)
; CHECK-NOT: __cupr_cpu_check
; CHECK: ret void
define ptx_kernel void @indexes(i64 %i) {
  %place = getelementptr i32, ptr addrspacecast (ptr addrspace(3) @shared to ptr), i64 %i
  store i32 1, ptr %place, align 4
  ret void
}
