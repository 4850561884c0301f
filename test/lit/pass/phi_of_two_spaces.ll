; A phi of a global and a shared pointer: an analysis of the text alone gives up (Rieber 2017, figure 5.5), here it is decided at run time.
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

@tile = internal addrspace(3) global [64 x float] undef, align 4

; CHECK: %p = phi ptr
; CHECK: call void @__cupr_access_generic_vN(ptr %t, i32 0, ptr %p, i1 %{{.*}})
; CHECK-NOT: @__cupr_access_vN
define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %a, i1 %c) {
entry:
  br i1 %c, label %left, label %join
left:
  br label %join
join:
  %p = phi ptr [ %a, %left ], [ addrspacecast (ptr addrspace(3) @tile to ptr), %entry ]
  store float 1.0, ptr %p, align 4
  ret void
}
