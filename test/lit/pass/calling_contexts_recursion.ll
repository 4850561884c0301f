; Functions that call each other in a cycle have a context for each call into the cycle. What they call outside of it has one for each of these,
; and they hand on among themselves what they were handed.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

; In each of the two contexts: a site of @even, one of @odd, one of @leaf.
; CHECK-LABEL: define dso_local ptx_kernel void @__cupr_traced_kernel(
; CHECK: call void @even.global.0(ptr %a, i32 %n, ptr %cupr.handle, i32 0)
; CHECK: call void @odd.global.0(ptr %a, i32 %n, ptr %cupr.handle, i32 3)

; CHECK-LABEL: define internal void @even.global.0(ptr %p, i32 %n, ptr %cupr.trace, i32 %cupr.context)
; CHECK: %[[SITE:.*]] = add i32 %cupr.context, 0
; CHECK: call void @__cupr_access_vN(ptr %cupr.trace, i32 %[[SITE]],
; CHECK: %[[SAME:.*]] = add i32 %cupr.context, 0
; CHECK: call void @odd.global.0(ptr %p, i32 %m, ptr %cupr.trace, i32 %[[SAME]])

; CHECK-LABEL: define internal void @odd.global.0(ptr %p, i32 %n, ptr %cupr.trace, i32 %cupr.context)
; CHECK: %[[SITE:.*]] = add i32 %cupr.context, 1
; CHECK: call void @__cupr_access_vN(ptr %cupr.trace, i32 %[[SITE]],
; CHECK: %[[SAME:.*]] = add i32 %cupr.context, 0
; CHECK: call void @even.global.0(ptr %p, i32 %m, ptr %cupr.trace, i32 %[[SAME]])
; CHECK: %[[LEAF:.*]] = add i32 %cupr.context, 2
; CHECK: call void @leaf.global.0(ptr %p, ptr %cupr.trace, i32 %[[LEAF]])

define internal void @leaf(ptr %p) noinline {
  store i32 1, ptr %p, align 4
  ret void
}

define internal void @even(ptr %p, i32 %n) noinline {
entry:
  store i32 2, ptr %p, align 4
  %m = sub i32 %n, 1
  %more = icmp ne i32 %m, 0
  br i1 %more, label %again, label %done
again:
  call void @odd(ptr %p, i32 %m)
  br label %done
done:
  ret void
}

define internal void @odd(ptr %p, i32 %n) noinline {
entry:
  store i32 3, ptr %p, align 4
  %m = sub i32 %n, 1
  %more = icmp ne i32 %m, 0
  br i1 %more, label %again, label %done
again:
  call void @even(ptr %p, i32 %m)
  br label %done
done:
  call void @leaf(ptr %p)
  ret void
}

define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %a, i32 %n) {
  call void @even(ptr %a, i32 %n)
  call void @odd(ptr %a, i32 %n)
  ret void
}
