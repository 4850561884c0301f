; With -cupr-log-accesses every access of memory is reported, whatever its address space, inline PTX and intrinsics too;
; plain slots are left out.
; RUN: %opt_retarget -cupr-log-accesses %s -S -o - | %filecheck %s
; RUN: %opt_retarget %s -S -o - | %filecheck --check-prefix=OFF %s
; OFF-NOT: witness

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%S = type { i64, i64, i32 }

@variable = addrspace(1) externally_initialized global i32 0, align 4
@table = addrspace(4) externally_initialized global i32 0, align 4

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare <4 x i32> @llvm.masked.load.v4i32.p0(ptr, <4 x i1>, <4 x i32>)

define internal void @byValue(ptr byval(%S) align 8 %s) noinline {
  ret void
}

; CHECK-LABEL: define internal void @kernel
define ptx_kernel void @kernel(ptr %a, ptr addrspace(3) %s, i64 %n) {
  %slot = alloca i32, align 4
; CHECK-NOT: witness
  store i32 0, ptr %slot, align 4
; CHECK: call void @__cupr_cpu_witness_access(i32 0, ptr %a, i64 8)
; CHECK-NEXT: load <2 x i32>, ptr %a
  %v = load <2 x i32>, ptr %a, align 8
; CHECK: %[[SHARED:.*]] = addrspacecast ptr addrspace(3) %s to ptr
; CHECK-NEXT: call void @__cupr_cpu_witness_access(i32 1, ptr %[[SHARED]], i64 2)
  store i16 1, ptr addrspace(3) %s, align 2
; CHECK: call void @__cupr_cpu_witness_access(i32 6, ptr %a, i64 4)
  %old = atomicrmw umax ptr %a, i32 7 seq_cst
; CHECK: call void @__cupr_cpu_witness_access(i32 9, ptr %a, i64 8)
  %pair = cmpxchg ptr %a, i64 0, i64 1 seq_cst seq_cst
; CHECK: call void @__cupr_cpu_witness_access(i32 0, ptr %a, i64 %n)
; CHECK: call void @__cupr_cpu_witness_access(i32 1, ptr %a, i64 %n)
  call void @llvm.memcpy.p0.p0.i64(ptr %a, ptr %a, i64 %n, i1 false)
; CHECK: call void @__cupr_cpu_witness_access(i32 0, ptr %a, i64 16)
  %m = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr align 16 %a, <4 x i1> <i1 true, i1 false, i1 false, i1 true>, <4 x i32> poison)
; CHECK: call void @__cupr_cpu_witness_access(i32 0, ptr %a, i64 24)
  call void @byValue(ptr byval(%S) align 8 %a)
; CHECK: call void @__cupr_cpu_witness_access(i32 2, ptr %{{.*}}, i64 4)
; CHECK-NEXT: atomicrmw add
  call void asm sideeffect "red.global.add.u32 [$0], 1;", "l,~{memory}"(ptr %a)
  ret void
}

; CHECK-LABEL: define internal void @cupr.witness
; CHECK: call void @__cupr_cpu_witness_global(ptr addrspacecast (ptr addrspace(1) @variable to ptr), i64 4)
; CHECK-NOT: @table
; CHECK: ret void
