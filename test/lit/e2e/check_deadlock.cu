// Threads that wait for each other for ever: the CPU device says who waits where, and the trace keeps it for the check.
// RUN: %cuprxx --device=cpu --synchronisation -O2 -o %t %s && not env CUPR_TRACE=%t.cuprtrace %t 2>/dev/null
// RUN: not %cupranalyze check %t.cuprtrace | %filecheck %s
// CHECK: failed-kernel: A kernel ended with an error: cudaErrorLaunchFailure: kernel halves(), block (0,0,0): deadlock:
// CHECK-SAME: lanes 0x0000ffff wait for the lanes 0xffffffff ({{.*}}check_deadlock.cu:[[#@LINE+8]])
// CHECK-SAME: lanes 0xffff0000 wait at barrier 1, where 16 have arrived ({{.*}}check_deadlock.cu:[[#@LINE+9]])
// CHECK-NEXT: check_deadlock.cu:{{[0-9]+:[0-9]+}} (launch)
// CHECK-NEXT: launch 1 of halves()
#include <cstdio>

__global__ void halves() {
  if (threadIdx.x < 16)
    __syncwarp(); // all lanes are meant, and half of them never come
  else
    asm volatile("bar.sync 1, 64;"); // nor do as many as are waited for
}

int main() {
  halves<<<1, 32>>>();
  return cudaDeviceSynchronize() != cudaSuccess;
}
