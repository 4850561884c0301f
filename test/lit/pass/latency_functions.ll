; Functions that a timed kernel calls are timed clones; shared variables are each variant's own; predicates of inline PTX decide what is
; recorded, and the clocks stand around all of it.
; RUN: %opt_cupr -passes=cupr-instrument -cupr-latency=dependency %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

; CHECK: @buffer.timed = internal addrspace(3) global

; CHECK-LABEL: define {{.*}}@__cupr_timed_kernel(
; CHECK: store i32 1, ptr addrspace(3) @buffer.timed
; CHECK: call void @put.global.0.timed(ptr %p, ptr %cupr.handle)
; CHECK: call i32 asm sideeffect {{.*}}4290772994;
; CHECK-NEXT: %v = call i32 asm sideeffect "{ .reg .pred p; setp.ne.b32 p, $2, 0; @p ld.global.u32 $0, [$1]; }"
; CHECK: call i32 asm sideeffect {{.*}}4290772995;
; CHECK: %[[MADE:.*]] = icmp ne i32 %c, 0
; CHECK-NEXT: br i1 %[[MADE]], label %[[THEN:.*]], label
; CHECK: [[THEN]]:
; CHECK: call void @__cupr_timed_2_vN(

; CHECK-LABEL: define internal void @put.global.0.timed(ptr %p, ptr %cupr.trace)
; CHECK: call i32 asm sideeffect
; CHECK-NEXT: store i32 1, ptr %{{.*}}
; CHECK-NEXT: call i32 asm sideeffect
; CHECK: call void @__cupr_timed_2_vN(ptr %cupr.trace,

@buffer = internal addrspace(3) global i32 undef

define internal void @put(ptr %p) noinline {
  store i32 1, ptr %p
  ret void
}

define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %p, i32 %c) {
  store i32 1, ptr addrspace(3) @buffer
  call void @put(ptr %p)
  %v = call i32 asm sideeffect "{ .reg .pred p; setp.ne.b32 p, $2, 0; @p ld.global.u32 $0, [$1]; }", "=r,l,r"(ptr %p, i32 %c)
  store volatile i32 %v, ptr addrspace(5) null
  ret void
}
