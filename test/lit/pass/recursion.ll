; The analysis ends on recursion, and the clone calls itself with its trace.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

; CHECK-LABEL: define internal void @walk.global.0(ptr %p, i32 %n, ptr %cupr.trace)
; CHECK: call void @__cupr_access_vN(ptr %cupr.trace, i32 0, ptr %p, i1 %{{.*}})
; CHECK: call void @walk.global.0(ptr %q, i32 %m, ptr %cupr.trace)
define internal void @walk(ptr %p, i32 %n) noinline {
entry:
  store i32 %n, ptr %p, align 4
  %q = getelementptr i32, ptr %p, i64 1
  %m = sub i32 %n, 1
  %more = icmp ne i32 %m, 0
  br i1 %more, label %again, label %done
again:
  call void @walk(ptr %q, i32 %m)
  br label %done
done:
  ret void
}

define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %a, i32 %n) {
  call void @walk(ptr %a, i32 %n)
  ret void
}
