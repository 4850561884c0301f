; A pointer whose space is not known: with one kind of memory wanted the hook tells whether it is that, with several
; it chooses among as many sites. Here %q gets 3 sites, so the next one is number 6. Negative twin: a pointer that is
; proven not to be global has no global site.
; RUN: %opt_cupr -passes=cupr-instrument -cupr-spaces=global,shared,local %s -S -o - | %filecheck %s
; RUN: %opt_cupr -passes=cupr-instrument -cupr-spaces=constant %s -S -o - | %filecheck --check-prefix=ONE %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

@tile = internal addrspace(3) global [64 x i32] undef, align 4

; CHECK-LABEL: define {{.*}}void @__cupr_traced_kernel(
; CHECK: %q = load ptr, ptr %p
; CHECK-NEXT: call void @__cupr_access_among_vN(ptr %t, i32 3, ptr %q, i1 %{{.*}}, i32 11)
; CHECK-NEXT: store i32 1, ptr %q
; CHECK-NEXT: call void @__cupr_access_vN(ptr %t, i32 6, ptr %p, i1 %{{.*}})
; ONE-LABEL: define {{.*}}void @__cupr_traced_kernel(
; ONE: call void @__cupr_access_among_vN(ptr %t, i32 0, ptr %q, i1 %{{.*}}, i32 4)
; ONE-NOT: call void @__cupr
; ONE: ret void
define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %p, ptr %leak) {
  store ptr addrspacecast (ptr addrspace(3) @tile to ptr), ptr %leak, align 8
  %q = load ptr, ptr %p, align 8
  store i32 1, ptr %q, align 4
  store i32 2, ptr %p, align 4
  ret void
}

; CHECK-LABEL: define internal void @callee{{.*}}(ptr %p, ptr %cupr.trace)
; CHECK: call void @__cupr_access_among_vN(ptr %cupr.trace, i32 {{[0-9]+}}, ptr %p, i1 %{{.*}}, i32 10)
define internal void @callee(ptr %p) noinline {
  store i32 1, ptr %p, align 4
  ret void
}
define ptx_kernel void @caller(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, i1 %c) {
  %local = alloca i32, align 4
  %q = select i1 %c, ptr %local, ptr addrspacecast (ptr addrspace(3) @tile to ptr)
  call void @callee(ptr %q)
  ret void
}
