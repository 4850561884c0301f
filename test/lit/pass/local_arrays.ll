; Local arrays are aligned by the largest power of two in their size, up to 16 bytes, dynamic shared memory by 16, and other local
; variables by what accesses at known places in them want; nothing else is.
; RUN: %opt_cupr -passes=cupr-compatibility -S %s | %filecheck %s
; RUN: sed 's/nvptx64-nvidia-cuda/x86_64-unknown-linux-gnu/' %s | %opt_cupr -passes=cupr-compatibility -S - | %filecheck %s --check-prefix=HOST
; HOST-NOT: alloca{{.*}}align {{8|16}}{{$}}
target triple = "nvptx64-nvidia-cuda"

; CHECK: @dynamic = external addrspace(3) global [0 x i8], align 16
@dynamic = external addrspace(3) global [0 x i8], align 1
; CHECK: @wide = external addrspace(3) global [0 x i8], align 128
@wide = external addrspace(3) global [0 x i8], align 128
; CHECK: @fixed = internal addrspace(3) global [16 x i8] poison, align 1
@fixed = internal addrspace(3) global [16 x i8] poison, align 1
; CHECK: @elsewhere = external addrspace(1) global [0 x i8], align 1
@elsewhere = external addrspace(1) global [0 x i8], align 1

define void @arrays() {
  ; CHECK: %eights = alloca [8 x float], align 16
  %eights = alloca [8 x float], align 4
  ; CHECK: %three = alloca [3 x i32], align 4
  %three = alloca [3 x i32], align 4
  ; CHECK: %six = alloca [3 x { i32, i32 }], align 8
  %six = alloca [3 x { i32, i32 }], align 4
  ; CHECK: %odd = alloca [17 x i8], align 1
  %odd = alloca [17 x i8], align 1
  ; CHECK: %more = alloca [8 x float], align 32
  %more = alloca [8 x float], align 32
  ; CHECK: %empty = alloca [0 x i32], align 4
  %empty = alloca [0 x i32], align 4
  ; CHECK: %structure = alloca { [8 x float] }, align 4
  %structure = alloca { [8 x float] }, align 4
  ret void
}

define void @accesses(i64 %i, <4 x i32> %v, ptr %from) {
  ; CHECK-LABEL: @accesses
  ; CHECK: %stored = alloca { [32 x i16] }, align 16
  %stored = alloca { [32 x i16] }, align 2
  ; CHECK: %indexed = alloca { [32 x i16] }, align 16
  %indexed = alloca { [32 x i16] }, align 2
  ; CHECK: %behind = alloca { [32 x i16] }, align 8
  %behind = alloca { [32 x i16] }, align 2
  ; CHECK: %copied = alloca { [32 x i16] }, align 8
  %copied = alloca { [32 x i16] }, align 2
  ; What an access at a place that is no multiple wants says nothing; nor does one whose place isn't known, or where the address is stored.
  ; CHECK: %between = alloca { [32 x i16] }, align 2
  %between = alloca { [32 x i16] }, align 2
  ; CHECK: %anywhere = alloca { [32 x i16] }, align 2
  %anywhere = alloca { [32 x i16] }, align 2
  ; CHECK: %kept = alloca { [32 x i16] }, align 2
  %kept = alloca { [32 x i16] }, align 2
  store <4 x i32> %v, ptr %stored, align 16
  %rows = getelementptr inbounds [4 x i32], ptr %indexed, i64 %i
  %row = getelementptr inbounds i8, ptr %rows, i64 16
  %x = load <4 x i32>, ptr %row, align 16
  %half = getelementptr inbounds i8, ptr %behind, i64 24
  store i64 %i, ptr %half, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %copied, ptr %from, i64 64, i1 false)
  %odd = getelementptr inbounds i8, ptr %between, i64 4
  store <4 x i32> %v, ptr %odd, align 16
  %any = getelementptr inbounds i8, ptr %anywhere, i64 %i
  store <4 x i32> %v, ptr %any, align 16
  store ptr %kept, ptr %from, align 16
  ret void
}

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
