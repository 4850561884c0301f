/// Memory that host and device share, for what runs the device's side of a queue.
#ifndef CUPR_TEST_SHARED_MEMORY_CUH
#define CUPR_TEST_SHARED_MEMORY_CUH

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

/// Ends the program where a call has failed.
inline void check(cudaError_t error) {
  if (error == cudaSuccess)
    return;
  std::printf("%s\n", cudaGetErrorString(error));
  std::exit(1);
}

/// Zeros, which are never given back.
template <typename T> T *shared(std::size_t count) {
  T *memory = nullptr;
  check(cudaMallocHost(&memory, count * sizeof(T)));
  std::memset(static_cast<void *>(memory), 0, count * sizeof(T));
  return memory;
}

#endif
