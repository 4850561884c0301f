; The space of a returned pointer follows from the arguments of that call.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

; CHECK: %p = call ptr @pick
; CHECK: call void @__cupr_access_vN(ptr %t, i32 0, ptr %p, i1 %{{.*}})
define internal ptr @pick(ptr %p, i64 %i) noinline {
  %q = getelementptr i32, ptr %p, i64 %i
  ret ptr %q
}

define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %a, i64 %i) {
  %p = call ptr @pick(ptr %a, i64 %i)
  store i32 1, ptr %p, align 4
  ret void
}
