; Each kind of memory on request: an access whose space is known is at a site of that space. What is not asked for is
; not traced, and kernel parameters are memory of no kind.
; RUN: %opt_cupr -passes=cupr-instrument -cupr-spaces=global,shared,constant,local %s -S -o - | %filecheck --check-prefix=ALL %s
; RUN: %opt_cupr -passes=cupr-instrument -cupr-spaces=shared %s -S -o - | %filecheck --check-prefix=ONE %s
; RUN: %opt_cupr -passes=cupr-instrument %s -S -o - | %filecheck --check-prefix=GLOBAL %s
; RUN: %not %opt_cupr -passes=cupr-instrument -cupr-spaces=shared,textures %s -o /dev/null 2>&1 | %filecheck --check-prefix=BAD %s

; BAD: for the --cupr-spaces option: 'shared,textures': expected a list of global, shared, constant, local, texture

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%{trace_type}

%struct.Pair = type { i32, i32 }

@tile = internal addrspace(3) global [64 x i32] undef, align 4
@table = internal addrspace(4) externally_initialized global [64 x i32] zeroinitializer, align 4

; ALL-LABEL: define {{.*}}void @__cupr_traced_kernel(
; ALL-NEXT: %local = alloca
; ALL: call void @__cupr_variable_vN(ptr %t, i32 0, ptr addrspacecast (ptr addrspace(3) @tile.traced to ptr), i1 %cupr.recording)
; ALL: call void @__cupr_access_in_vN(ptr %t, i32 1, ptr %local, i1 %{{.*}}, i32 8)
; ALL-NEXT: call void @__cupr_access_vN(ptr %t, i32 2, ptr %p, i1 %{{.*}})
; ALL-NEXT: load i32, ptr %p
; ALL-NEXT: call void @__cupr_access_in_vN(ptr %t, i32 3, ptr addrspacecast (ptr addrspace(3) @tile.traced to ptr), i1 %{{.*}}, i32 2)
; ALL-NEXT: store i32
; ALL-NEXT: call void @__cupr_access_in_vN(ptr %t, i32 4, ptr addrspacecast (ptr addrspace(4) @table to ptr), i1 %{{.*}}, i32 4)
; ALL-NEXT: load i32
; ALL-NEXT: call void @__cupr_access_in_vN(ptr %t, i32 5, ptr %local, i1 %{{.*}}, i32 8)
; ALL-NEXT: store volatile i32
; ALL-NEXT: load i32, ptr %pair
; ALL-NEXT: ret void
; ONE-LABEL: define {{.*}}void @__cupr_traced_kernel(
; ONE-NOT: call void @__cupr_access
; ONE: call void @__cupr_variable_vN(ptr %t, i32 0,
; ONE-NOT: call void @__cupr_access
; ONE: call void @__cupr_access_in_vN(ptr %t, i32 1, ptr addrspacecast (ptr addrspace(3) @tile.traced to ptr), i1 %{{.*}}, i32 2)
; ONE-NOT: call void @__cupr_access
; ONE: ret void
; GLOBAL-LABEL: define {{.*}}void @__cupr_traced_kernel(
; GLOBAL: call void @__cupr_access_vN(ptr %t, i32 0, ptr %p, i1 %{{.*}})
; GLOBAL-NOT: call void @__cupr_access
; GLOBAL: ret void
define ptx_kernel void @kernel(ptr byval(%"struct.cupr::argument::Trace") align 8 "nvvm.grid_constant" %t, ptr %p, ptr byval(%struct.Pair) align 4 %pair) {
  %local = alloca [4 x i32], align 4
  %v = load i32, ptr %p, align 4
  store i32 %v, ptr addrspacecast (ptr addrspace(3) @tile to ptr), align 4
  %w = load i32, ptr addrspacecast (ptr addrspace(4) @table to ptr), align 4
  store volatile i32 %w, ptr %local, align 4
  %x = load i32, ptr %pair, align 4
  ret void
}
