; Each function calls the next one twice: eight contexts of @three. Where sites are few, those with the most contexts have one for each call of
; them instead, whose number is a constant; at last one for all, and nobody is handed anything.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck --check-prefix=ALL %s
; RUN: %opt_cupr -passes=cupr-instrument -cupr-context-sites=12 %s -S -o - | %filecheck --check-prefix=MERGED %s
; RUN: %opt_cupr -passes=cupr-instrument -cupr-context-sites=5 %s -S -o - | %filecheck --check-prefix=ONE %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

; ALL-LABEL: @__cupr_traced_kernel(
; ALL: call void @one.global.0(ptr %a, ptr %cupr.handle, i32 0)
; ALL: call void @one.global.0(ptr %a, ptr %cupr.handle, i32 4)
; ALL-LABEL: define internal void @one.global.0(
; ALL: %[[A:.*]] = add i32 %cupr.context, 0
; ALL: call void @two.global.0(ptr %p, ptr %cupr.trace, i32 %[[A]])
; ALL: %[[B:.*]] = add i32 %cupr.context, 2
; ALL: call void @two.global.0(ptr %p, ptr %cupr.trace, i32 %[[B]])

; Two of @one, four of @two, two of @three: 8 contexts and 2 sites.
; MERGED-LABEL: @__cupr_traced_kernel(
; MERGED: call void @one.global.0(ptr %a, ptr %cupr.handle)
; MERGED-LABEL: define internal void @two.global.0(ptr %p, ptr %cupr.trace)
; MERGED: call void @three.global.0(ptr %p, ptr %cupr.trace, i32 0)
; MERGED: call void @three.global.0(ptr %p, ptr %cupr.trace, i32 1)
; MERGED-LABEL: define internal void @three.global.0(ptr %p, ptr %cupr.trace, i32 %cupr.context)

; ONE-LABEL: define internal void @two.global.0(ptr %p, ptr %cupr.trace)
; ONE: call void @three.global.0(ptr %p, ptr %cupr.trace)
; ONE: call void @three.global.0(ptr %p, ptr %cupr.trace)
; ONE-LABEL: define internal void @three.global.0(ptr %p, ptr %cupr.trace)
; ONE: call void @__cupr_access_vN(ptr %cupr.trace, i32 0, ptr %p,

define internal void @one(ptr %p) noinline {
  call void @two(ptr %p)
  call void @two(ptr %p)
  ret void
}

define internal void @two(ptr %p) noinline {
  call void @three(ptr %p)
  call void @three(ptr %p)
  ret void
}

define internal void @three(ptr %p) noinline {
  store i32 1, ptr %p, align 4
  ret void
}

define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %a) {
  call void @one(ptr %a)
  call void @one(ptr %a)
  ret void
}
