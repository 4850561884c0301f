; What a module says of itself: which of its kernels reach a hook, and so may have records (flags, the last number: 2
; where none can come), and what its code needs of the processor.
;
; RUN: %opt_retarget %s -S -o - | %filecheck %s
; RUN: %opt_retarget -cupr-host-cpu=x86-64 %s -S -o - | %filecheck --check-prefix=ANY %s
; RUN: %opt_retarget -cupr-host-cpu= %s -S -o - | %filecheck --check-prefix=UNTOLD %s
; RUN: %not %opt_retarget -cupr-host-cpu=z80 %s -S -o - 2>&1 | %filecheck --check-prefix=WRONG %s
;
; CHECK-DAG: @[[PLAIN:[0-9]+]] = private unnamed_addr constant [6 x i8] c"plain\00"
; CHECK-DAG: @[[TRACED:[0-9]+]] = private unnamed_addr constant [7 x i8] c"traced\00"
; CHECK-DAG: @[[INDIRECT:[0-9]+]] = private unnamed_addr constant [9 x i8] c"indirect\00"
; CHECK: @cupr.kernels = internal constant
; CHECK-SAME: { ptr @[[PLAIN]], ptr @cupr.thunk.plain.device, ptr @plain.device, ptr {{[^,]*}}, i32 1, i32 0, i32 0, i32 2 }
; CHECK-SAME: { ptr @[[TRACED]], ptr @cupr.thunk.traced.device, ptr @traced.device, ptr {{[^,]*}}, i32 2, i32 0, i32 0, i32 0 }
; CHECK-SAME: { ptr @[[INDIRECT]], ptr @cupr.thunk.indirect.device, ptr @indirect.device, ptr {{[^,]*}}, i32 1, i32 0, i32 0, i32 0 }
; CHECK: c"x86-64-v3\00"
; CHECK: c"{{[^"]*}}avx2{{[^"]*}}\00"
; CHECK: define internal void @cupr.register.device()
; CHECK: call void @__cupr_cpu_register_module(ptr @cupr.module)
; CHECK: call void @__cupr_cpu_need_processor(ptr @cupr.module,
; ANY: c"x86-64\00"
; ANY-NOT: avx
; UNTOLD-NOT: __cupr_cpu_need_processor
; WRONG: cupr-retarget: -cupr-host-cpu: no processor 'z80' is known

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare void @__cupr_access_vN(ptr, i32, ptr, i1)

define ptx_kernel void @plain(ptr %p) {
  store float 1.0, ptr %p
  ret void
}

define internal void @store(ptr %trace, ptr %p) {
  call void @__cupr_access_vN(ptr %trace, i32 0, ptr %p, i1 true)
  store float 1.0, ptr %p
  ret void
}

define ptx_kernel void @traced(ptr byval([12 x i64]) align 8 "nvvm.grid_constant" %trace, ptr %p) {
  call void @store(ptr %trace, ptr %p)
  ret void
}

@table = internal addrspace(1) global ptr @store

; A function that records might be the one that is called.
define ptx_kernel void @indirect(ptr %f) {
  call void %f(ptr null, ptr null)
  ret void
}
