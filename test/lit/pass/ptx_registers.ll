; Addresses that the asm computes: moved, converted, added to. Negative twin: one that is loaded or multiplied
; is not known, and reported.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s
; RUN: %opt_cupr -passes=cupr-instrument -pass-remarks-missed=cupr %s -o /dev/null 2>&1 | %filecheck --check-prefix=REMARK %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

; CHECK-LABEL: define {{.*}}void @__cupr_traced_known(
; CHECK: %[[A:.*]] = getelementptr i8, ptr %p, i64 24
; CHECK-NEXT: call void @__cupr_access_vN(ptr %t, i32 0, ptr %[[A]], i1 %{{.*}})
; CHECK-NEXT: call i32 asm
; CHECK-NEXT: %[[B:.*]] = getelementptr i8, ptr %p, i64 -4
; CHECK-NEXT: call void @__cupr_access_vN(ptr %t, i32 1, ptr %[[B]], i1 %{{.*}})
; CHECK-NEXT: call i32 asm
; CHECK-NEXT: %[[C:.*]] = getelementptr i8, ptr %p, i64 40
; CHECK-NEXT: call void @__cupr_access_vN(ptr %t, i32 2, ptr %[[C]], i1 %{{.*}})
; CHECK-NEXT: call i32 asm
; CHECK-NEXT: call void @__cupr_access_vN(ptr %t, i32 3, ptr %p, i1 %{{.*}})
; CHECK-NEXT: call i64 asm
; CHECK-NEXT: ret void
define ptx_kernel void @known(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %p) {
  call i32 asm "{ .reg .u64 %a<2>; cvta.to.global.u64 %a0, $1; add.s64 %a1, %a0, 16; ld.global.u32 $0, [%a1+8]; }", "=r,l"(ptr %p)
  call i32 asm "{ .reg .u64 q; mov.u64 q, $1; /* back */ sub.s64 q, q, 12; ld.global.u32 $0, [q+8]; }", "=r,l"(ptr %p)
  call i32 asm "ld.global.u32 $0, [$1+$2];", "=r,l,n"(ptr %p, i64 40)
  call i64 asm "ld.global.u64 $0, [$0];", "=l,0"(ptr %p)
  ret void
}

; CHECK-LABEL: define {{.*}}void @__cupr_traced_unknown(
; CHECK: call void @__cupr_access_vN(ptr %t, i32 4, ptr %p, i1 %{{.*}})
; CHECK-NEXT: call i32 asm
; CHECK-NOT: call void @__cupr_access
; CHECK: ret void
; REMARK: not traced: inline PTX that accesses memory and is not understood: ld.global.u32 $0, [q] (its address is not an operand of the asm)
; REMARK-NEXT: not traced: inline PTX that accesses memory and is not understood: ld.global.u32 $0, [m] (its address is not an operand of the asm)
; REMARK-NEXT: not traced: inline PTX that accesses memory and is not understood: ld.global.u32 $0, [$1] (it stands behind a jump or a label)
; REMARK-NEXT: not traced: {{.*}}ld.future.global.weird $0, [$1]
; REMARK-NEXT: not traced: {{.*}}frob.u32 $0, [$1]
; REMARK-NOT: not traced
define ptx_kernel void @unknown(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %p, i32 %c) {
  call i32 asm "{ .reg .u64 q; ld.global.u64 q, [$1]; ld.global.u32 $0, [q]; }", "=r,l"(ptr %p)
  call i32 asm "{ .reg .u64 m; mul.lo.u64 m, $1, 2; ld.global.u32 $0, [m]; }", "=r,l"(ptr %p)
  call i32 asm "{ .reg .pred p; setp.eq.u32 p, $2, 0; @p bra DONE; ld.global.u32 $0, [$1]; DONE: }", "=r,l,r"(ptr %p, i32 %c)
  call i32 asm "ld.future.global.weird $0, [$1];", "=r,l"(ptr %p)
  call i32 asm "frob.u32 $0, [$1];", "=r,l"(ptr %p)
  ret void
}
