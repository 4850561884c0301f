; A predicated access is traced where its predicate holds, if that comes from operands of the asm; else it is
; reported.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s
; RUN: %opt_cupr -passes=cupr-instrument -pass-remarks-missed=cupr %s -o /dev/null 2>&1 | %filecheck --check-prefix=REMARK %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

; CHECK-LABEL: define {{.*}}void @__cupr_traced_compared(
; CHECK: %[[MADE:.*]] = icmp ne i32 %c, 0
; CHECK-NEXT: br i1 %[[MADE]], label %[[THEN:.*]], label %[[NEXT:.*]]
; CHECK: [[THEN]]:
; CHECK-NEXT: call void @__cupr_access_vN(ptr %t, i32 0, ptr %p, i1 %{{.*}})
; CHECK-NEXT: br label %[[NEXT]]
; CHECK: [[NEXT]]:
; CHECK-NEXT: call float asm
define ptx_kernel void @compared(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %p, i32 %c) {
  call float asm "{ .reg .pred p; setp.ne.b32 p, $2, 0; @p ld.global.f32 $0, [$1]; }", "=f,l,r"(ptr %p, i32 %c)
  ret void
}

; CHECK-LABEL: define {{.*}}void @__cupr_traced_negated(
; CHECK: %[[MADE:.*]] = icmp sge i32 %c, %d
; CHECK-NEXT: br i1 %[[MADE]],
define ptx_kernel void @negated(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %p, i32 %c, i32 %d) {
  call void asm sideeffect "{ .reg .pred %q; setp.lt.s32 %q, $1, $2; @!%q st.global.u32 [$0], $1; }", "l,r,r"(ptr %p, i32 %c, i32 %d)
  ret void
}

; CHECK-LABEL: define {{.*}}void @__cupr_traced_operand(
; CHECK: %[[MADE:.*]] = icmp ne i1 %c, false
; CHECK-NEXT: br i1 %[[MADE]],
define ptx_kernel void @operand(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %p, i1 %c) {
  call void asm sideeffect "@$1 st.global.u32 [$0], 1;", "l,b"(ptr %p, i1 %c)
  ret void
}

; CHECK-LABEL: define {{.*}}void @__cupr_traced_unknown(
; CHECK-NOT: call void @__cupr_access
; CHECK: ret void
; REMARK: not traced: {{.*}}: @p st.global.u32 [$0], $1 (its predicate is not an operand of the asm, nor a comparison of two)
; REMARK-NOT: not traced
define ptx_kernel void @unknown(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %p, float %f) {
  call void asm sideeffect "{ .reg .pred p; setp.lt.f32 p, $2, 0f00000000; @p st.global.u32 [$0], $1; }", "l,r,f"(ptr %p, i32 1, float %f)
  ret void
}
