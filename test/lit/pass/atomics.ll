; Every kind of atomic is one access.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%"struct.cupr::argument::Trace" = type { i64, ptr, ptr, ptr, ptr, ptr, i32, i16, i16, i64 }

; CHECK-COUNT-14: call void @__cupr_access_v1(ptr %t, i32 {{[0-9]+}}, ptr %p, i1 %{{.*}})
; CHECK-NOT: call void @__cupr_access
define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %p) {
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
  ret void
}
