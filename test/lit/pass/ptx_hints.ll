; Hints, fences and synchronisation objects are neither accesses nor missing.
; RUN: %opt_cupr -passes=cupr-instrument -cupr-spaces=global,shared,constant,local %s -S -o - | %filecheck %s
; RUN: %opt_cupr -passes=cupr-instrument -cupr-spaces=global,shared,constant,local -pass-remarks-missed=cupr %s -o /dev/null 2>&1 | %filecheck --allow-empty --check-prefix=REMARK %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

; REMARK-NOT: not traced
; CHECK-LABEL: define {{.*}}void @__cupr_traced_kernel(
; CHECK-NOT: call void @__cupr
; CHECK: ret void
define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %p, i32 %s) {
  call void asm sideeffect "prefetch.global.L2::evict_last [$0];", "l"(ptr %p)
  call void asm sideeffect "prefetchu.L1 [$0];", "l"(ptr %p)
  call void asm sideeffect "applypriority.global.L2::evict_normal [$0], 128;", "l"(ptr %p)
  call void asm sideeffect "discard.global.L2 [$0], 128;", "l"(ptr %p)
  call void asm sideeffect "fence.proxy.tensormap::generic.acquire.gpu [$0], 128;", "l"(ptr %p)
  call void asm sideeffect "mbarrier.init.shared::cta.b64 [$0], 1;", "r"(i32 %s)
  call void asm sideeffect "cp.async.mbarrier.arrive.noinc.shared.b64 [$0];", "r"(i32 %s)
  call void asm sideeffect "{ .reg .pred P; LAB: mbarrier.try_wait.parity.shared::cta.b64 P, [$0], 0; @P bra DONE; bra LAB; DONE: }", "r"(i32 %s)
  call i32 asm "{ .reg .pred p; isspacep.shared p, $1; selp.u32 $0, 1, 0, p; }", "=r,l"(ptr %p)
  ret void
}
