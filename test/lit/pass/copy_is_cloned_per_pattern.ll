; One function, called global to shared and shared to global: two clones, each tracing one side (Rieber 2017, figure 5.6).
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

@tile = internal addrspace(3) global [64 x float] undef, align 4

; CHECK-LABEL: define dso_local ptx_kernel void @__cupr_traced_kernel(
; CHECK: call void @copy.global.1(ptr addrspacecast (ptr addrspace(3) @tile.traced to ptr), ptr %g, ptr %cupr.handle)
; CHECK: call void @copy.global.0(ptr %g, ptr addrspacecast (ptr addrspace(3) @tile.traced to ptr), ptr %cupr.handle)
; CHECK-LABEL: define internal void @copy.global.1(ptr %d, ptr %s, ptr %cupr.trace)
; CHECK-NEXT: %cupr.recording = icmp ne ptr %cupr.trace, null
; CHECK-NEXT: call void @__cupr_access_vN(ptr %cupr.trace, i32 {{[0-9]+}}, ptr %s, i1 %cupr.recording)
; CHECK-NEXT: load float
; CHECK-NEXT: store float
; CHECK-NEXT: ret void
; CHECK-LABEL: define internal void @copy.global.0(ptr %d, ptr %s, ptr %cupr.trace)
; CHECK-NEXT: %cupr.recording = icmp ne ptr %cupr.trace, null
; CHECK-NEXT: load float
; CHECK-NEXT: call void @__cupr_access_vN(ptr %cupr.trace, i32 {{[0-9]+}}, ptr %d, i1 %{{.*}})
; CHECK-NEXT: store float
; CHECK-NEXT: ret void
define internal void @copy(ptr %d, ptr %s) noinline {
  %v = load float, ptr %s, align 4
  store float %v, ptr %d, align 4
  ret void
}

define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %g) {
  call void @copy(ptr addrspacecast (ptr addrspace(3) @tile to ptr), ptr %g)
  call void @copy(ptr %g, ptr addrspacecast (ptr addrspace(3) @tile to ptr))
  ret void
}
