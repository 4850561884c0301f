; An integer in the guise of an offset from null may be any pointer, also where it meets a global one; null itself is none.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

; CHECK-LABEL: define dso_local ptx_kernel void @__cupr_traced_kernel(
; CHECK: call void @__cupr_access_generic_vN(ptr %t, i32 0, ptr %p, i1 %{{.*}})
; CHECK: call void @__cupr_access_vN(ptr %t, i32 1, ptr %q, i1 %{{.*}})
define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %a, i64 %i, i1 %c) {
  %any = getelementptr i8, ptr null, i64 %i
  %p = select i1 %c, ptr %a, ptr %any
  store float 1.0, ptr %p, align 4
  %q = select i1 %c, ptr %a, ptr null
  store float 1.0, ptr %q, align 4
  ret void
}
