; The static report says why an access is not traced, and how each function gets the trace.
; RUN: %opt_cupr -passes=cupr-instrument -cupr-static-report=- %s -o /dev/null | %filecheck %s
; Without the option there is no report.
; RUN: %opt_cupr -passes=cupr-instrument %s -o /dev/null | %filecheck --allow-empty --check-prefix=NONE %s
; NONE-NOT: Memory accesses

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}
%View = type { ptr, i32 }

@callback = internal addrspace(1) global ptr @callee, align 8

; CHECK-DAG: not traced           kernel     inline PTX that accesses memory and is not understood: @p st.global.u32 [$0], $1
; CHECK-DAG: decided at run time  kernel     an address made from an integer
; CHECK-DAG: global               kernel     pointer in by-value parameter `view`
; CHECK-DAG: not traced           kernel     this space is not traced: by-value parameter `view` itself
; CHECK-DAG: decided at run time  callee{}   argument `p`: what callers out of sight pass: the function's address is taken
; CHECK-DAG: not traced           wide       this kernel's parameters leave no room for the trace: kernel parameter `a`
; CHECK-DAG: not traced           helper{0}  only kernels without a traced variant lead here: argument `q` in calls from `wide`: kernel parameter `a`; global in all
; CHECK-DAG: decided at run time  foreign    may be kernel parameter `a` or an address made from an integer
; CHECK-DAG: kernel     -      the trace is the first parameter
; CHECK-DAG: foreign    -      keeps its signature: the traced variant has the trace as an added last parameter
; CHECK-DAG: wide       -      none: this kernel's parameters leave no room for the trace
; CHECK-DAG: callee{}   -      keeps its signature, since its address is taken: reads the block's trace from a shared variable
define internal void @callee(ptr %p) noinline {
  store i32 1, ptr %p, align 4
  ret void
}

define internal void @helper(ptr %q) noinline {
  store i32 3, ptr %q, align 4
  ret void
}

define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %p, i64 %i, ptr byval(%View) align 8 %view) {
  call void asm sideeffect "@p st.global.u32 [$0], $1;", "l,r,~{memory}"(ptr %p, i32 1)
  call void asm sideeffect "st.u32 [$0], $1;", "l,r,~{memory}"(i64 %i, i32 1)
  %data = load ptr, ptr %view, align 8
  store i32 2, ptr %data, align 4
  ret void
}

define ptx_kernel void @wide(ptr %a, ptr byval([32700 x i8]) align 4 %b) {
  store i32 1, ptr %a, align 4
  call void @helper(ptr %a)
  ret void
}

define ptx_kernel void @foreign(ptr %a, i64 %i, i1 %c) {
  %number = getelementptr i8, ptr null, i64 %i
  %p = select i1 %c, ptr %a, ptr %number
  store i32 4, ptr %p, align 4
  store i32 1, ptr %a, align 4
  ret void
}
