; No bridge where the rest of the signature differs.
; RUN: %not %opt_cupr -passes=cupr-whole-program %s -S -o /dev/null 2>&1 | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK: error: device code uses what none of the linked files defines:
; CHECK-NEXT: {{^}}  read(int const*, int)
; CHECK-NOT: {{^}}  {{[a-z]}}
declare i32 @_Z4readPKii(ptr, i32)
define i32 @_Z4readRKN4cupr8argument5TraceEPKii(ptr nonnull align 8 dereferenceable(64) %trace, ptr %p, i64 %i) {
  ret i32 0
}

define ptx_kernel void @kernel(ptr %p) {
  %v = call i32 @_Z4readPKii(ptr %p, i32 2)
  ret void
}
