// clang's flag for remarks has the pass name what it can't trace: each place once, also where other passes are asked for.
// RUN: %cuprxx -arch=sm_90 -Rpass-missed=cupr-instrument -c %s -o %t.o 2>&1 | %filecheck %s
// RUN: %cuprxx -arch=sm_90 -Rpass-missed=inline -c %s -o %t.o 2>&1 | %filecheck %s --check-prefix=NONE
// RUN: %cuprxx -arch=sm_90 -c %s -o %t.o 2>&1 | %filecheck %s --check-prefix=NONE --allow-empty
// NONE-NOT: not traced

__global__ void add(unsigned *everywhere, unsigned *one) {
  *one = 1;
  // CHECK: remark: {{.*}}remarks.cu:[[#@LINE+2]]:{{[0-9]+}}: not traced: {{.*}}multimem.red
  // CHECK-NOT: not traced
  asm volatile("multimem.red.relaxed.sys.global.add.u32 [%0], %1;" ::"l"(everywhere), "r"(1u) : "memory");
}
