; Files that disagree on whether a function has the trace parameter are joined: what is declared calls what is
; defined.
; RUN: %opt_cupr -passes=cupr-whole-program %s -S -o - | %filecheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Kept where it is used, with the trace where it is defined.
; CHECK: define internal i32 @_Z4readPKii(ptr %0, i32 %1)
; CHECK-NEXT: [[T:%.*]] = call ptr @__cupr_current_v{{[0-9]+}}()
; CHECK-NEXT: [[R:%.*]] = call i32 @_Z4readRKN4cupr8argument5TraceEPKii(ptr{{.*}} [[T]], ptr{{.*}} %0, i32 %1)
; CHECK-NEXT: ret i32 [[R]]
declare i32 @_Z4readPKii(ptr, i32)
define i32 @_Z4readRKN4cupr8argument5TraceEPKii(ptr nonnull align 8 dereferenceable(64) %trace, ptr %p, i32 %i) {
  %v = load i32, ptr %p, align 4
  ret i32 %v
}

; The other way round.
; CHECK: define internal void @_Z5writeRKN4cupr8argument5TraceERi(ptr{{.*}} %0, ptr{{.*}} %1)
; CHECK-NEXT: call void @_Z5writeRi(ptr{{.*}} %1)
; CHECK-NEXT: ret void
declare void @_Z5writeRKN4cupr8argument5TraceERi(ptr nonnull align 8 dereferenceable(64), ptr nonnull align 4 dereferenceable(4))
define void @_Z5writeRi(ptr nonnull align 4 dereferenceable(4) %p) {
  store i32 1, ptr %p, align 4
  ret void
}

; A member: the object stands before the trace, and what is returned in memory before the object.
; CHECK: define internal void @_ZN4Pair3getEi(ptr{{.*}}sret(%struct.Big){{.*}} %0, ptr{{.*}} %1, i32 %2)
; CHECK-NEXT: [[T:%.*]] = call ptr @__cupr_current_v
; CHECK-NEXT: call void @_ZN4Pair3getERKN4cupr8argument5TraceEi(ptr{{.*}} %0, ptr{{.*}} %1, ptr{{.*}} [[T]], i32 %2)
%struct.Big = type { [8 x i64] }
declare void @_ZN4Pair3getEi(ptr sret(%struct.Big) align 8, ptr nonnull align 4 dereferenceable(8), i32)
define void @_ZN4Pair3getERKN4cupr8argument5TraceEi(ptr sret(%struct.Big) align 8 %r, ptr nonnull align 4 dereferenceable(8) %this, ptr nonnull align 8 dereferenceable(64) %trace, i32 %i) {
  ret void
}

; A function of a namespace has no object.
; CHECK: define internal i32 @_ZN2ns3getEPi(ptr %0)
; CHECK: call i32 @_ZN2ns3getERKN4cupr8argument5TraceEPi(ptr{{.*}} {{%.*}}, ptr %0)
declare i32 @_ZN2ns3getEPi(ptr)
define i32 @_ZN2ns3getERKN4cupr8argument5TraceEPi(ptr nonnull align 8 dereferenceable(64) %trace, ptr %p) {
  ret i32 1
}

define ptx_kernel void @kernel(ptr %p, ptr %trace, ptr %pair, ptr %big) {
  %v = call i32 @_Z4readPKii(ptr %p, i32 2)
  call void @_Z5writeRKN4cupr8argument5TraceERi(ptr %trace, ptr %p)
  call void @_ZN4Pair3getEi(ptr sret(%struct.Big) align 8 %big, ptr %pair, i32 2)
  %w = call i32 @_ZN2ns3getEPi(ptr %p)
  ret void
}
