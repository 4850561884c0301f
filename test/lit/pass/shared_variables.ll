; Where shared memory is traced, the first thread of a block says where each shared variable lies that the kernel may reach: by itself,
; by what it calls, or by a table of functions. Names are those of the source; parts that the optimiser made keep their numbers.
; RUN: %opt_cupr -passes=cupr-instrument -cupr-spaces=global,shared %s -S -o - | %filecheck %s
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck --check-prefix=NONE %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

%struct.Pair = type { i32, i64 }

@_ZZ4stepPfE4tile = internal addrspace(3) global [32 x [33 x float]] undef, align 4
@_ZZ4stepPfE4pair.1 = internal addrspace(3) global [4 x %struct.Pair] undef, align 8
@_ZN5field4restE = external addrspace(3) global [0 x double], align 8
@_ZZ4helpvE5place = internal addrspace(3) global i16 undef, align 2
@_ZZ5otherPfE4tile = internal addrspace(3) global [8 x float] undef, align 4
@table = internal addrspace(1) global [1 x ptr] [ptr @_Z6unseenv]
@_ZZ6unseenvE4last = internal addrspace(3) global i8 undef, align 1

; NONE-NOT: call void @__cupr_variable

; CHECK: @__cupr_site_table = {{.*}}step(float*)\00{{.*}}[32 x [33 x float]]\00tile\00{{.*}}pair.1\00{{.*}}field::rest{{.*}}place{{.*}}last

; CHECK-LABEL: define {{.*}}void @__cupr_traced__Z4stepPf(
; CHECK: %[[X:.*]] = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
; CHECK: %cupr.first = icmp eq i32
; CHECK-NEXT: br i1 %cupr.first
; CHECK: call void @__cupr_variable_vN(ptr %t, i32 0, ptr addrspacecast (ptr addrspace(3) @_ZZ4stepPfE4tile.traced to ptr), i1 %cupr.recording)
; CHECK-NEXT: call void @__cupr_variable_vN(ptr %t, i32 1, ptr addrspacecast (ptr addrspace(3) @_ZZ4stepPfE4pair.1.traced
; CHECK-NEXT: call void @__cupr_variable_vN(ptr %t, i32 2, ptr addrspacecast (ptr addrspace(3) @_ZN5field4restE
; CHECK-NEXT: call void @__cupr_variable_vN(ptr %t, i32 3, ptr addrspacecast (ptr addrspace(3) @_ZZ4helpvE5place
; CHECK-NEXT: call void @__cupr_variable_vN(ptr %t, i32 4, ptr addrspacecast (ptr addrspace(3) @_ZZ6unseenvE4last
; CHECK-NEXT: br label
; The warp goes on together.
; CHECK: call void @llvm.nvvm.bar.warp.sync(i32 -1)
define ptx_kernel void @_Z4stepPf(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %p) {
  %v = load float, ptr %p, align 4
  store float %v, ptr addrspacecast (ptr addrspace(3) @_ZZ4stepPfE4tile to ptr), align 4
  store i32 1, ptr addrspacecast (ptr addrspace(3) @_ZZ4stepPfE4pair.1 to ptr), align 4
  store double 1.0, ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(3) @_ZN5field4restE to ptr), i64 8), align 8
  call void @_Z4helpv()
  ret void
}

define internal void @_Z4helpv() noinline {
  store i16 1, ptr addrspacecast (ptr addrspace(3) @_ZZ4helpvE5place to ptr), align 2
  %f = load ptr, ptr addrspacecast (ptr addrspace(1) @table to ptr), align 8
  call void %f()
  ret void
}

define internal void @_Z6unseenv() noinline {
  store i8 1, ptr addrspacecast (ptr addrspace(3) @_ZZ6unseenvE4last to ptr), align 1
  ret void
}

; CHECK-LABEL: define {{.*}}void @__cupr_traced__Z5otherPf(
; CHECK: call void @__cupr_variable_vN(ptr %t, i32 {{[0-9]+}}, ptr addrspacecast (ptr addrspace(3) @_ZZ5otherPfE4tile.traced to ptr), i1 %cupr.recording)
; CHECK-NEXT: br label
define ptx_kernel void @_Z5otherPf(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %p) {
  %v = load float, ptr %p, align 4
  store float %v, ptr addrspacecast (ptr addrspace(3) @_ZZ5otherPfE4tile to ptr), align 4
  ret void
}
