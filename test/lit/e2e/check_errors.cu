// Errors that nobody looks at: of a kernel, where a call first returned it; in a process that ends by itself; none of what a library's
// header drops. Without -g, optimised.
// RUN: mkdir -p %t.library && cp %S/Inputs/dropping_library.h %t.library
// RUN: %cuprxx --device=cpu -O2 -isystem %t.library -o %t %s
// RUN: env CUPR_TRACE=%t.dropped %t dropped && not %cupranalyze check %t.dropped | %filecheck --check-prefix=DROPPED %s
// DROPPED: failed-kernel
// DROPPED: unchecked-error: cudaDeviceSynchronize returned an error that the program does not look at: cudaErrorIllegalInstruction (
// DROPPED-NEXT: check_errors.cu:[[#@LINE+36]]:3 (cudaDeviceSynchronize)
// DROPPED-NEXT: from main
// DROPPED-NEXT: Look at the value of cudaDeviceSynchronize at {{.*}}check_errors.cu:{{.*}}, or call cudaGetLastError() behind it.
// DROPPED-NOT: unchecked-error:
// RUN: env CUPR_TRACE=%t.used %t used && not %cupranalyze check %t.used | %filecheck --check-prefix=SEEN %s
// RUN: env CUPR_TRACE=%t.asked %t asked && not %cupranalyze check %t.asked | %filecheck --check-prefix=SEEN %s
// SEEN: failed-kernel
// SEEN-NOT: unchecked-error:
// RUN: env CUPR_TRACE=%t.aborted not --crash %t aborted && not %cupranalyze check --json %t.aborted | %filecheck --check-prefix=ABORTED %s
// ABORTED: "rule": "unchecked-error",
// ABORTED-NEXT: "title": "A launch of bad(int*, int) had an error that the program does not ask for: cudaErrorInvalidValue (invalid argument)"
// ABORTED: "act": "call",
// ABORTED-NEXT: "operation": "launch",
// ABORTED-NOT: "rule": "unchecked-error",
#include "dropping_library.h"

#include <cstdlib>
#include <cstring>
#include <thread>

__global__ void bad(int *cells, int most) {
  if (static_cast<int>(threadIdx.x) >= most)
    __trap();
  cells[threadIdx.x] = 1;
}

int main(int, char **arguments) {
  const auto is = [&](const char *mode) { return !std::strcmp(arguments[1], mode); };
  int *cells = nullptr;
  cudaMalloc(&cells, 64 * sizeof(int));
  dropAll();
  if (is("aborted")) {
    bad<<<1, 4096>>>(cells, 64);
    std::abort();
  }
  bad<<<1, 64>>>(cells, 7);
  cudaDeviceSynchronize();
  cudaMemset(cells, 0, 4);
  int result = 0;
  if (is("used") && cudaMemcpy(&result, cells, 4, cudaMemcpyDeviceToHost) == cudaSuccess)
    return 1;
  if (is("asked"))
    std::thread([&] { result = cudaPeekAtLastError(); }).join();
  cudaFree(cells);
  return 0;
}
