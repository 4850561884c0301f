; __device__ variables are global, __constant__ ones are not.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

@counter = addrspace(1) externally_initialized global i32 0, align 4
@table = addrspace(4) externally_initialized global [4 x i32] zeroinitializer, align 4

; CHECK-LABEL: define dso_local ptx_kernel void @__cupr_traced_kernel(
; CHECK-NEXT: %cupr.recording = call i1 @__cupr_recording_vN(ptr %t)
; CHECK-NEXT: %v = load i32, ptr addrspacecast (ptr addrspace(4) @table to ptr)
; CHECK-NEXT: call void @__cupr_access_vN(ptr %t, i32 0, ptr addrspacecast (ptr addrspace(1) @counter to ptr), i1 %{{.*}})
; CHECK-NEXT: store i32
define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t) {
  %v = load i32, ptr addrspacecast (ptr addrspace(4) @table to ptr), align 4
  store i32 %v, ptr addrspacecast (ptr addrspace(1) @counter to ptr), align 4
  ret void
}
