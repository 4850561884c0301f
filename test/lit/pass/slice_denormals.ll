; Where single-precision comparisons take denormal numbers for zeros, slices, which don't, leave them alone; double precision
; has no such mode.
; RUN: %opt_cupr -passes=cupr-instrument -cupr-print-slices %s -S -o %t.ll 2> %t.txt
; RUN: %filecheck %s < %t.txt
; RUN: %filecheck --check-prefix=WHY %s < %t.txt
target triple = "nvptx64-nvidia-cuda"
%{trace_type}

; CHECK-LABEL: slice of ieee:
; CHECK-NEXT: 0: fcmp r0 <- parameter1 0 i32 of 1
define ptx_kernel void @ieee(ptr byval(%"struct.cupr::argument::Trace") %t, ptr %a, float %f) {
entry:
  %is = fcmp oeq float %f, 0.0
  br i1 %is, label %then, label %done
then:
  store i32 0, ptr %a
  br label %done
done:
  ret void
}

; WHY: flushes is recorded: data decides whether, or how often, it is made: store i32 0{{.*}}because of %is = fcmp
define ptx_kernel void @flushes(ptr byval(%"struct.cupr::argument::Trace") %t, ptr %a, float %f) "denormal-fp-math-f32"="preserve-sign" {
entry:
  %is = fcmp oeq float %f, 0.0
  br i1 %is, label %then, label %done
then:
  store i32 0, ptr %a
  br label %done
done:
  ret void
}

; CHECK-LABEL: slice of wide:
; CHECK-NEXT: 0: fcmp r0 <- parameter1 0 i64 of 1
define ptx_kernel void @wide(ptr byval(%"struct.cupr::argument::Trace") %t, ptr %a, double %f) "denormal-fp-math-f32"="preserve-sign" {
entry:
  %is = fcmp oeq double %f, 0.0
  br i1 %is, label %then, label %done
then:
  store i32 0, ptr %a
  br label %done
done:
  ret void
}
