; What is passed by value is read by the call; from a local copy, the read is not traced.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

%S = type { i64, i64, i32 }

declare void @use(ptr byval(%S) align 8)

; CHECK-LABEL: define dso_local ptx_kernel void @__cupr_traced_kernel(
; CHECK: call void @__cupr_access_vN(ptr %t, i32 0, ptr %a, i1 %{{.*}})
; CHECK-NEXT: call void @use(ptr byval(%S) align 8 %a)
; CHECK-NEXT: call void @use(ptr byval(%S) align 8 %copy)
define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %a) {
  %copy = alloca %S, align 8
  call void @use(ptr byval(%S) align 8 %a)
  call void @use(ptr byval(%S) align 8 %copy)
  ret void
}
