; Instrumented functions write memory, whatever was proven before.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

; CHECK: call void @reader.global.0(ptr %a, ptr %cupr.handle) #[[CALL:[0-9]+]]
; CHECK: define internal void @reader.global.0(ptr %p, ptr %cupr.trace) #[[BODY:[0-9]+]]
; CHECK: attributes #[[CALL]] = { convergent }
; CHECK: attributes #[[BODY]] = { convergent noinline }
define internal void @reader(ptr %p) noinline memory(read) willreturn {
  %v = load volatile i32, ptr %p, align 4
  ret void
}

define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %a) {
  call void @reader(ptr %a) memory(read)
  ret void
}
