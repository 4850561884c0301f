; Memory instructions inside inline PTX are accesses; what is not understood is reported, and
; shared memory is not global.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s
; RUN: %opt_cupr -passes=cupr-instrument -pass-remarks-missed=cupr %s -o /dev/null 2>&1 | %filecheck --check-prefix=REMARK %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK: call void @__cupr_access_vN(ptr %t, i32 0, ptr %p, i1 %{{.*}})
; CHECK-NEXT: call float asm "ld.global.cg.f32
; CHECK: call void @__cupr_access_vN(ptr %t, i32 1, ptr %p, i1 %{{.*}})
; CHECK-NEXT: call i16 asm sideeffect "{ atom.add.noftz.f16
; CHECK-NEXT: %[[AT:.*]] = getelementptr i8, ptr %p, i64 16
; CHECK-NEXT: call void @__cupr_access_vN(ptr %t, i32 2, ptr %[[AT]], i1 %{{.*}})
; CHECK-NEXT: call { i32, i32 } asm sideeffect "ld.global.v2.u32
; CHECK-NEXT: %[[I:.*]] = inttoptr i64 %i to ptr
; CHECK-NEXT: call void @__cupr_access_generic_vN(ptr %t, i32 3, ptr %[[I]], i1 %{{.*}})
; CHECK-NEXT: call void asm sideeffect "st.u32
; CHECK-NEXT: call void asm sideeffect "st.shared.u32
; CHECK-NEXT: call void asm sideeffect "bar.sync 0;"
; CHECK-NEXT: call void asm sideeffect "@p st.global.u32
; CHECK-NEXT: ret void
; REMARK: not traced: inline PTX that accesses memory and is not understood: @p st.global.u32 [$0], $1
define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %p, i64 %i) {
  %a = call float asm "ld.global.cg.f32 $0, [$1];", "=f,l"(ptr %p)
  %b = call i16 asm sideeffect "{ atom.add.noftz.f16 $0,[$1],$2; }\0A", "=h,l,h,~{memory}"(ptr %p, i16 1)
  %c = call { i32, i32 } asm sideeffect "ld.global.v2.u32 {$0, $1}, [$2+16];", "=r,=r,l"(ptr %p)
  call void asm sideeffect "st.u32 [$0], $1;", "l,r,~{memory}"(i64 %i, i32 1)
  call void asm sideeffect "st.shared.u32 [$0], $1;", "r,r,~{memory}"(i32 0, i32 1)
  call void asm sideeffect "bar.sync 0;", "~{memory}"()
  call void asm sideeffect "@p st.global.u32 [$0], $1;", "l,r,~{memory}"(ptr %p, i32 1)
  ret void
}
