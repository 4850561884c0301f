// Races in which both store one value are told apart: a constant, or an argument of the kernel; not what differs by block.
// RUN: %cuprxx --device=cpu -O2 -g --synchronisation -o %t %s
// RUN: env CUPR_TRACE=%t.trace %t && not %cupranalyze check --json %t.trace > %t.json
// RUN: %python -c "import json, sys; [print(fault['rule'], fault['silent'], *{access['line'] for access in fault['accesses']}) for fault in json.load(open(sys.argv[1]))['faults']]" %t.json | sort | %filecheck %s
// RUN: not %cupranalyze check %t.trace | %filecheck --check-prefix=TEXT %s
// CHECK: race-blocks False [[#@LINE+9]]
// CHECK-NEXT: race-blocks True [[#@LINE+6]]
// CHECK-NEXT: race-blocks True [[#@LINE+6]]
// CHECK-NOT: race
// TEXT: blocks run in any order; both store the same value
__global__ void finds(int *found, int by) {
  if (threadIdx.x == 0) {
    found[0] = 1;
    found[64] = by;
    found[128] = blockIdx.x;
  }
}

int main() {
  int *found;
  if (cudaMalloc(&found, 1024))
    return 1;
  finds<<<4, 32>>>(found, 7);
  return cudaDeviceSynchronize() || cudaFree(found);
}
