; The negative twin of slice_guarded_access.ll and slice_memory.ll: an address, a condition, and a counter of what data has decided
; depend on data that does not stay as the launch found it, or may not, so the kernels are recorded.
; RUN: %opt_cupr -passes=cupr-instrument -cupr-print-slices %s -S -o %t.ll 2>&1 | %filecheck --check-prefix=WHY %s
; RUN: %filecheck %s < %t.ll
target triple = "nvptx64-nvidia-cuda"
%{trace_type}

; CHECK-NOT: @__cupr_derived_

; WHY: gather is recorded: its address depends on data: %v = load float{{.*}}because of %i = load volatile i32
define ptx_kernel void @gather(ptr byval(%"struct.cupr::argument::Trace") %t, ptr %a, ptr %index) {
  %i = load volatile i32, ptr %index
  %p = getelementptr float, ptr %a, i32 %i
  %v = load float, ptr %p
  ret void
}

; It writes there itself.
; WHY: renumber is recorded: its address depends on data: store i32 7{{.*}}because of %i = load i32
define ptx_kernel void @renumber(ptr byval(%"struct.cupr::argument::Trace") %t, ptr %index) {
  %i = load i32, ptr %index
  %p = getelementptr i32, ptr %index, i32 %i
  store i32 7, ptr %p
  ret void
}

; Where it writes is not known before the launch.
; WHY: chase is recorded: its address depends on data: {{.*}} = load float{{.*}}because of %i = load i32
define ptx_kernel void @chase(ptr byval(%"struct.cupr::argument::Trace") %t, ptr %a, ptr %index, ptr %lists) {
  %i = load i32, ptr %index
  %p = getelementptr float, ptr %a, i32 %i
  %v = load float, ptr %p
  %list = load ptr, ptr %lists
  store float %v, ptr %list
  ret void
}

; What is there is found through a pointer that memory holds: of which allocation it is, the launch does not say.
; WHY: twice is recorded: its address depends on data: %v = load float{{.*}}because of %i = load i32
define ptx_kernel void @twice(ptr byval(%"struct.cupr::argument::Trace") %t, ptr %a, ptr %lists) {
  %list = load ptr, ptr %lists
  %i = load i32, ptr %list
  %p = getelementptr float, ptr %a, i32 %i
  %v = load float, ptr %p
  ret void
}

; What is called may write anywhere.
; WHY: told is recorded: its address depends on data: %v = load float{{.*}}because of %i = load i32
define ptx_kernel void @told(ptr byval(%"struct.cupr::argument::Trace") %t, ptr %a, ptr %index) {
  %i = load i32, ptr %index
  %p = getelementptr float, ptr %a, i32 %i
  %v = load float, ptr %p
  %done = call i32 @vprintf(ptr null, ptr null)
  ret void
}
declare i32 @vprintf(ptr, ptr)

; WHY: guarded is recorded: data decides whether, or how often, it is made: store float 1.0{{.*}}because of %v = load float
define ptx_kernel void @guarded(ptr byval(%"struct.cupr::argument::Trace") %t, ptr %a) {
entry:
  %v = load float, ptr %a
  %is = fcmp olt float %v, 0.0
  br i1 %is, label %then, label %done
then:
  store float 1.0, ptr %a
  br label %done
done:
  ret void
}

; The counter is a plain sum, and how often it counts is data.
; WHY: counted is recorded: data decides whether, or how often, it is made: %v = load i32
; WHY: counted is recorded: its address depends on data: store i32 0
define ptx_kernel void @counted(ptr byval(%"struct.cupr::argument::Trace") %t, ptr %a) {
entry:
  br label %loop
loop:
  %n = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr i32, ptr %a, i64 %n
  %v = load i32, ptr %p
  %next = add i64 %n, 1
  %more = icmp ne i32 %v, 0
  br i1 %more, label %loop, label %done
done:
  %last = phi i64 [ %n, %loop ]
  %q = getelementptr i32, ptr %a, i64 %last
  store i32 0, ptr %q
  ret void
}
