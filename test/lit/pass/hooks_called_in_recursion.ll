; Functions that call themselves, or each other in a cycle, call their hooks: what an inlined one takes of the stack would lie there once for each call
; that has not returned. The others have theirs inlined, or, in large modules, call the same functions.
; RUN: %opt_cupr -cupr-derive=false -passes=cupr-instrument,cupr-link-hooks %s -S -o - | %filecheck %s
; RUN: %opt_cupr -cupr-derive=false -passes=cupr-instrument,cupr-link-hooks -cupr-inline-limit=0 %s -S -o - | %filecheck --check-prefix=LARGE %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

; CHECK-LABEL: define {{.*}}void @__cupr_traced_kernel(
; CHECK-NOT: call void @__cupr_
; CHECK: ret void

; CHECK-LABEL: define internal void @itself.global.0(
; CHECK: call void @__cupr_called_access_vN(
; CHECK-NEXT: store i32 2, ptr %p
; CHECK: ret void

; CHECK-LABEL: define internal void @there.global.0(
; CHECK: call void @__cupr_called_accesses_2_vN(
; CHECK-NEXT: store volatile i32 3, ptr %p
; CHECK: ret void

; CHECK-LABEL: define internal void @once.global.0(
; CHECK-NOT: call void @__cupr_
; CHECK: store i32 6, ptr %p
; CHECK-NOT: call void @__cupr_
; CHECK: ret void

; CHECK-LABEL: define internal void @back.global.0(
; CHECK: call void @__cupr_called_access_vN(
; CHECK-NEXT: store i32 5, ptr %p
; CHECK: ret void

; LARGE-LABEL: define {{.*}}void @__cupr_traced_kernel(
; LARGE: call void @__cupr_called_access_vN(
; LARGE-NEXT: store i32 1, ptr %a
; LARGE-LABEL: define internal void @itself.global.0(
; LARGE: call void @__cupr_called_access_vN(
; LARGE-NEXT: store i32 2, ptr %p
; LARGE-NOT: declare {{.*}}@__cupr_called_access
; LARGE: define internal void @__cupr_called_access_vN(
; LARGE-NOT: {{declare|define}} {{.*}}@__cupr_called_access_
define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %a, i32 %n) {
  store i32 1, ptr %a, align 4
  call void @itself(ptr %a, i32 %n)
  call void @there(ptr %a, i32 %n)
  call void @once(ptr %a)
  ret void
}

define internal void @itself(ptr %p, i32 %n) noinline {
  store i32 2, ptr %p, align 4
  %more = icmp ne i32 %n, 0
  br i1 %more, label %deeper, label %done
deeper:
  %m = sub i32 %n, 1
  call void @itself(ptr %p, i32 %m)
  br label %done
done:
  ret void
}

define internal void @there(ptr %p, i32 %n) noinline {
  store volatile i32 3, ptr %p, align 4
  store volatile i32 4, ptr %p, align 4
  %more = icmp ne i32 %n, 0
  br i1 %more, label %deeper, label %done
deeper:
  %m = sub i32 %n, 1
  call void @back(ptr %p, i32 %m)
  br label %done
done:
  ret void
}

define internal void @back(ptr %p, i32 %n) noinline {
  store i32 5, ptr %p, align 4
  call void @there(ptr %p, i32 %n)
  ret void
}

define internal void @once(ptr %p) noinline {
  store i32 6, ptr %p, align 4
  ret void
}
