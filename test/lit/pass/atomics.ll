; Every kind of atomic is one access, of every type and scope, those that the back end makes a loop of compare-and-swap
; of included.
; RUN: %opt_cupr -cupr-derive=false -passes=cupr-instrument %s -S -o - | %filecheck %s
; RUN: %opt_cupr -cupr-derive=false -passes=cupr-instrument -pass-remarks-missed=cupr %s -o /dev/null 2>&1 | %filecheck --allow-empty --check-prefix=REMARK %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

; REMARK-NOT: not traced
; CHECK-LABEL: define {{.*}}void @__cupr_traced_plain(
; CHECK-COUNT-31: call void @__cupr_access_vN(ptr %t, i32 {{[0-9]+}}, ptr %p, i1 %{{.*}})
; CHECK-NOT: call void @__cupr_access
; CHECK-LABEL: define {{.*}}void @__cupr_traced_scoped(
; CHECK-COUNT-12: call void @__cupr_access_vN(ptr %t, i32 {{[0-9]+}}, ptr %p, i1 %{{.*}})
; CHECK-NOT: call void @__cupr_access
; CHECK: ret void
define ptx_kernel void @plain(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %p) {
  %a = atomicrmw add ptr %p, i32 1 seq_cst
  %b = atomicrmw sub ptr %p, i32 1 seq_cst
  %c = atomicrmw xchg ptr %p, i32 1 seq_cst
  %d = atomicrmw min ptr %p, i32 1 seq_cst
  %e = atomicrmw umin ptr %p, i32 1 seq_cst
  %f = atomicrmw max ptr %p, i32 1 seq_cst
  %g = atomicrmw uinc_wrap ptr %p, i32 1 seq_cst
  %h = atomicrmw udec_wrap ptr %p, i32 1 seq_cst
  %i = cmpxchg ptr %p, i32 1, i32 2 seq_cst seq_cst
  %j = atomicrmw and ptr %p, i32 1 seq_cst
  %k = atomicrmw or ptr %p, i32 1 seq_cst
  %l = atomicrmw xor ptr %p, i32 1 seq_cst
  %m = atomicrmw fadd ptr %p, float 1.0 seq_cst
  %n = atomicrmw fadd ptr %p, double 1.0 seq_cst
  %o = atomicrmw umax ptr %p, i64 1 syncscope("block") acquire
  %q = atomicrmw fsub ptr %p, float 1.0 monotonic
  %r = atomicrmw fmin ptr %p, float 1.0 monotonic
  %s = atomicrmw fmax ptr %p, double 1.0 monotonic
  %u = atomicrmw fminimum ptr %p, float 1.0 monotonic
  %v = atomicrmw fmaximum ptr %p, float 1.0 monotonic
  %w = atomicrmw nand ptr %p, i32 1 monotonic
  %x = atomicrmw usub_cond ptr %p, i32 1 monotonic
  %y = atomicrmw usub_sat ptr %p, i32 1 monotonic
  %z = atomicrmw fadd ptr %p, half 1.0 monotonic
  %A = atomicrmw fadd ptr %p, bfloat 1.0 monotonic
  %B = atomicrmw fadd ptr %p, <2 x half> splat (half 1.0) monotonic
  %C = atomicrmw fadd ptr %p, <2 x bfloat> splat (bfloat 1.0) monotonic
  %D = atomicrmw xchg ptr %p, i128 1 syncscope("device") acq_rel
  %E = cmpxchg ptr %p, i128 1, i128 2 acq_rel monotonic
  %F = cmpxchg weak volatile ptr %p, i8 1, i8 2 monotonic monotonic
  %G = atomicrmw xchg ptr %p, float 1.0 monotonic
  ret void
}

define ptx_kernel void @scoped(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %p) {
  %a = call i32 @llvm.nvvm.atomic.add.gen.i.cta.i32.p0(ptr %p, i32 1)
  %b = call float @llvm.nvvm.atomic.add.gen.f.sys.f32.p0(ptr %p, float 1.0)
  %c = call i32 @llvm.nvvm.atomic.exch.gen.i.cta.i32.p0(ptr %p, i32 1)
  %d = call i32 @llvm.nvvm.atomic.max.gen.i.sys.i32.p0(ptr %p, i32 1)
  %e = call i32 @llvm.nvvm.atomic.min.gen.i.cta.i32.p0(ptr %p, i32 1)
  %f = call i32 @llvm.nvvm.atomic.inc.gen.i.cta.i32.p0(ptr %p, i32 1)
  %g = call i32 @llvm.nvvm.atomic.dec.gen.i.cta.i32.p0(ptr %p, i32 1)
  %h = call i32 @llvm.nvvm.atomic.and.gen.i.cta.i32.p0(ptr %p, i32 1)
  %i = call i32 @llvm.nvvm.atomic.or.gen.i.cta.i32.p0(ptr %p, i32 1)
  %j = call i32 @llvm.nvvm.atomic.xor.gen.i.cta.i32.p0(ptr %p, i32 1)
  %k = call i64 @llvm.nvvm.atomic.cas.gen.i.sys.i64.p0(ptr %p, i64 1, i64 2)
  %l = call i32 @llvm.nvvm.ldu.global.i.i32.p0(ptr %p, i32 4)
  ret void
}
