; Loads, stores and atomics in inline PTX with every kind of qualifier are accesses of their whole size.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s
; RUN: %opt_cupr -passes=cupr-instrument -pass-remarks-missed=cupr %s -o /dev/null 2>&1 | %filecheck --allow-empty --check-prefix=REMARK %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

; REMARK-NOT: not traced

; The sizes stand in the site table; here it is the order that counts.
; CHECK: @__cupr_site_table = {{.*}} c"CUST
; CHECK-LABEL: define {{.*}}void @__cupr_traced_loads(
; CHECK-COUNT-12: call void @__cupr_access_vN(ptr %t, i32 {{[0-9]+}}, ptr %p, i1 %{{.*}})
; CHECK-NOT: call void @__cupr_access
; CHECK: ret void
define ptx_kernel void @loads(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %p, i64 %policy) {
  call i32 asm sideeffect "ld.volatile.global.u32 $0, [$1];", "=r,l"(ptr %p)
  call i32 asm sideeffect "ld.relaxed.gpu.global.u32 $0, [$1];", "=r,l"(ptr %p)
  call i32 asm sideeffect "ld.acquire.sys.global.u32 $0, [$1];", "=r,l"(ptr %p)
  call i32 asm sideeffect "ld.mmio.relaxed.sys.global.u32 $0, [$1];", "=r,l"(ptr %p)
  call i32 asm "ld.global.nc.L1::no_allocate.L2::128B.u32 $0, [$1];", "=r,l"(ptr %p)
  call i32 asm "ld.global.L2::cache_hint.u32 $0, [$1], $2;", "=r,l,l"(ptr %p, i64 %policy)
  call { i32, i32, i32, i32 } asm "ld.weak.global.ca.v4.u32 {$0, $1, $2, $3}, [$4];", "=r,=r,=r,=r,l"(ptr %p)
  call void asm sideeffect "st.release.cta.global.b64 [$0], $1;", "l,l"(ptr %p, i64 1)
  call void asm sideeffect "{ .reg .b128 v; mov.b128 v, {$1, $2}; st.global.b128 [$0], v; }", "l,l,l"(ptr %p, i64 1, i64 2)
  call void asm sideeffect "red.relaxed.gpu.global.add.noftz.v2.bf16x2 [$0], {$1, $2};", "l,r,r"(ptr %p, i32 1, i32 2)
  call float asm sideeffect "atom.global.v2.f32.add {$0, _}, [$1], {$2, $2};", "=f,l,f"(ptr %p, float 1.0)
  call i16 asm sideeffect "atom.acq_rel.sys.global.cas.b16 $0, [$1], $2, $3;", "=h,l,h,h"(ptr %p, i16 1, i16 2)
  ret void
}
