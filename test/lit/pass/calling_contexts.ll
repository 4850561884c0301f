; A function has its sites once for each chain of calls that leads to it. What its caller hands it, added to constants, says which: here @e
; is called by @b, and by @c twice; @d, which is called twice itself, hands on what it was handed.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s
; In functions with several contexts hooks do not count on one site; several of a block still share a call.
; RUN: %opt_cupr -passes=cupr-instrument,cupr-link-hooks %s -S -o - | %filecheck --check-prefix=LINKED %s
; RUN: %opt_cupr -passes=cupr-instrument,cupr-link-hooks -cupr-inline-limit=0 %s -S -o - | %filecheck --check-prefix=CALLED %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

; The kernel's site is 0; those of @b 1, of @e below it 2 and 3; of @e below @c 4 to 7.
; CHECK-LABEL: define dso_local ptx_kernel void @__cupr_traced_one(
; CHECK: call void @__cupr_access_vN(ptr %t, i32 0, ptr %a, i1 %{{.*}})
; CHECK: call void @b.global.0(ptr %a, ptr %cupr.handle)
; CHECK: call void @c.global.0(ptr %a, ptr %cupr.handle)

; CHECK-LABEL: define dso_local ptx_kernel void @__cupr_traced_two(
; CHECK: call void @d.global.0(ptr %a, ptr %cupr.handle, i32 8)
; CHECK: call void @d.global.0(ptr %a, ptr %cupr.handle, i32 11)

; CHECK-LABEL: define internal void @b.global.0(ptr %p, ptr %cupr.trace)
; CHECK: call void @__cupr_access_vN(ptr %cupr.trace, i32 1, ptr %p, i1 %{{.*}})
; CHECK: call void @e.global.0(ptr %p, ptr %cupr.trace, i32 2)

; CHECK-LABEL: define internal void @c.global.0(ptr %p, ptr %cupr.trace)
; CHECK: call void @e.global.0(ptr %p, ptr %cupr.trace, i32 4)
; CHECK: call void @e.global.0(ptr %p, ptr %cupr.trace, i32 6)

; CHECK-LABEL: define internal void @d.global.0(ptr %p, ptr %cupr.trace, i32 %cupr.context)
; CHECK: %[[D:.*]] = add i32 %cupr.context, 0
; CHECK: call void @__cupr_access_vN(ptr %cupr.trace, i32 %[[D]], ptr %p, i1 %{{.*}})
; CHECK: %[[BELOW:.*]] = add i32 %cupr.context, 1
; CHECK: call void @e.global.0(ptr %p, ptr %cupr.trace, i32 %[[BELOW]])

; CHECK-LABEL: define internal void @e.global.0(ptr %p, ptr %cupr.trace, i32 %cupr.context)
; CHECK: %[[FIRST:.*]] = add i32 %cupr.context, 0
; CHECK: call void @__cupr_access_vN(ptr %cupr.trace, i32 %[[FIRST]], ptr %p, i1 %{{.*}})
; CHECK: %[[SECOND:.*]] = add i32 %cupr.context, 1
; CHECK: call void @__cupr_access_vN(ptr %cupr.trace, i32 %[[SECOND]], ptr %q, i1 %{{.*}})

; LINKED-LABEL: define {{.*}}@__cupr_traced_one(
; LINKED-NOT: call {{.*}}match.any
; LINKED-LABEL: define internal void @b.global.0(
; LINKED-NOT: call {{.*}}match.any
; LINKED-LABEL: define internal void @d.global.0(
; LINKED: call {{.*}}match.any.sync.i32(i32 %{{.*}}, i32 %{{.*}})
; LINKED-LABEL: define internal void @e.global.0(
; LINKED-COUNT-1: call {{.*}}match.any.sync.i32(i32 %{{.*}}, i32 %[[FIRST:.*]])
; LINKED-LABEL: define

; CALLED-LABEL: define internal void @e.global.0(
; CALLED: %[[FIRST:.*]] = add i32 %cupr.context, 0
; CALLED: %[[SECOND:.*]] = add i32 %cupr.context, 1
; CALLED: call void @__cupr_called_accesses_2_vN(ptr %cupr.trace, i1 {{.*}}, i32 %[[FIRST]], ptr %p, i32 %[[SECOND]], ptr %q)

define internal void @b(ptr %p) noinline {
  store i32 1, ptr %p, align 4
  call void @e(ptr %p)
  ret void
}

define internal void @c(ptr %p) noinline {
  call void @e(ptr %p)
  call void @e(ptr %p)
  ret void
}

define internal void @d(ptr %p) noinline {
  store i32 2, ptr %p, align 4
  call void @e(ptr %p)
  ret void
}

define internal void @e(ptr %p) noinline {
  %q = getelementptr i32, ptr %p, i64 1
  store volatile i32 3, ptr %p, align 4
  store volatile i32 4, ptr %q, align 4
  ret void
}

define ptx_kernel void @one(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %a) {
  store i32 0, ptr %a, align 4
  call void @b(ptr %a)
  call void @c(ptr %a)
  ret void
}

define ptx_kernel void @two(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %a) {
  call void @d(ptr %a)
  call void @d(ptr %a)
  ret void
}
