; One index that counts elements of two types makes two addresses, and two loads. LLVM's vectoriser takes one for the other.
; RUN: %opt_cupr -passes=cupr-instrument-optimized %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}
%quad = type { i32, i32, i32, i32 }

; CHECK-LABEL: define {{.*}}void @__cupr_traced_words_and_quads(
; CHECK: call void @__cupr_access_vN(ptr %t, i32 0, ptr %word, i1
; CHECK-NEXT: load i32, ptr %word
; CHECK: call void @__cupr_access_vN(ptr %t, i32 1, ptr %quad, i1
; CHECK-NEXT: call <4 x i32> @llvm.masked.load.v4i32.p0(ptr align 16 %quad, <4 x i1> <i1 true, i1 false, i1 false, i1 true>
define ptx_kernel void @words_and_quads(ptr byval(%"struct.cupr::argument::Trace") align 8 %t, ptr readonly %in, ptr %out, i32 %n) {
  %low = and i32 %n, 255
  %index = zext nneg i32 %low to i64
  %word = getelementptr inbounds nuw i32, ptr %in, i64 %index
  %a = load i32, ptr %word, align 4
  %quad = getelementptr inbounds nuw %quad, ptr %in, i64 %index
  %b = load i32, ptr %quad, align 16
  %last = getelementptr inbounds nuw i8, ptr %quad, i64 12
  %c = load i32, ptr %last, align 4
  %ab = add i32 %a, %b
  %abc = xor i32 %ab, %c
  store i32 %abc, ptr %out, align 4
  ret void
}

; What is neighbouring stays one access, whatever the other's type is.
; CHECK-LABEL: define {{.*}}void @__cupr_traced_pairs_and_bytes(
; CHECK: call void @__cupr_access_vN({{.*}}, ptr %byte, i1
; CHECK-NEXT: load i8, ptr %byte
; CHECK: load <2 x i32>, ptr %pair
; CHECK-NOT: load
; CHECK: ret void
define ptx_kernel void @pairs_and_bytes(ptr byval(%"struct.cupr::argument::Trace") align 8 %t, ptr readonly %in, ptr %out, i32 %n) {
  %index = zext i32 %n to i64
  %byte = getelementptr inbounds nuw i8, ptr %in, i64 %index
  %a = load i8, ptr %byte, align 1
  %wide = zext i8 %a to i32
  %pair = getelementptr inbounds nuw { i32, i32 }, ptr %in, i64 %index
  %b = load i32, ptr %pair, align 8
  %second = getelementptr inbounds nuw i8, ptr %pair, i64 4
  %c = load i32, ptr %second, align 4
  %bc = xor i32 %b, %c
  %abc = add i32 %bc, %wide
  store i32 %abc, ptr %out, align 4
  ret void
}
