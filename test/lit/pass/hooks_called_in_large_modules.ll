; Few hooks are inlined; beyond the limit they are called, since many inlined ones take the assembler long. Shared
; variables stay as they are: plain kernels use them as well.
; RUN: %opt_cupr -cupr-derive=false -passes=cupr-instrument,cupr-link-hooks -cupr-inline-limit=2 %s -S -o - | %filecheck --check-prefix=INLINED %s
; RUN: %opt_cupr -cupr-derive=false -passes=cupr-instrument,cupr-link-hooks -cupr-inline-limit=1 %s -S -o - | %filecheck --check-prefix=CALLED %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

@tile = internal addrspace(3) global [64 x float] undef, align 4
@flag = internal addrspace(3) global i32 undef, align 4

; INLINED: @tile = {{.*}}, align 4
; CALLED: @tile = {{.*}}, align 4
; CALLED: @flag = {{.*}}, align 4

; INLINED-LABEL: define {{.*}}ptx_kernel void @__cupr_traced_kernel(
; INLINED-NOT: call void @__cupr_{{access|called}}
; INLINED: store volatile i32 2, ptr %a

; CALLED-LABEL: define {{.*}}ptx_kernel void @__cupr_traced_kernel(
; CALLED: call void @__cupr_called_accesses_2_vN(
; CALLED-NEXT: store volatile i32 1, ptr %a
; CALLED-NEXT: store volatile i32 2, ptr %a
; CALLED: define internal void @__cupr_called_accesses_2_vN({{.*}}) {{.*}}#[[HOOK:[0-9]+]]
; CALLED: attributes #[[HOOK]] = { {{.*}}noinline
define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %a) {
  store volatile i32 1, ptr %a, align 4
  store volatile i32 2, ptr %a, align 4
  %v = load volatile float, ptr addrspace(3) @tile, align 4
  store volatile i32 3, ptr addrspace(3) @flag, align 4
  ret void
}
