; Each kernel keeps its own code beside the traced variant, and the plain one calls plain functions.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

; CHECK: @__cupr_kernel_kernel = {{.*}}, i32 2, i32 0 }
; CHECK-LABEL: define internal void @put(ptr %p)
; CHECK-NEXT: store i32 1
; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK-NEXT: call void @put(ptr %a)
; CHECK-NEXT: store i32 2, ptr %a
; CHECK-LABEL: define dso_local ptx_kernel void @__cupr_traced_kernel(
; CHECK: call void @put.global.0(ptr %a, ptr %cupr.handle)
; CHECK: attributes #{{.*}} = { convergent "nvvm.maxntid"="256" }
define internal void @put(ptr %p) noinline {
  store i32 1, ptr %p, align 4
  ret void
}

define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %a) "nvvm.maxntid"="256" {
  call void @put(ptr %a)
  store i32 2, ptr %a, align 4
  ret void
}
