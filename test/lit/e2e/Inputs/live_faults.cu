// Two kernels with a race each, and hosts of several kinds around them.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

__global__ void turn(int *out, const int *in, bool waits) {
  __shared__ int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  if (waits)
    __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

__global__ void add(int *sum, const int *in, bool waits) {
  if (waits)
    atomicAdd(sum, in[threadIdx.x]);
  else
    *sum += in[threadIdx.x];
}

__global__ void behind(int *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

int main(int argc, char **argv) {
  const char *const mode = argc > 1 ? argv[1] : "";
  const auto is = [&](const char *what) { return std::strcmp(mode, what) == 0; };
  const bool waits = !is("racy") && !is("killed");
  int *in = nullptr, *out = nullptr;
  cudaMalloc(&in, 64 * sizeof(int));
  cudaMalloc(&out, 64 * sizeof(int));
  cudaMemset(in, 0, 64 * sizeof(int));
  if (is("closes")) // as daemons do
    for (int file = 3; file < 65536; ++file)
      close(file);
  if (is("waits")) // for any child: there is none but its own
    for (int i = 0; i < 2; ++i) {
      if (fork() == 0)
        _exit(5);
      int status = 0;
      wait(&status);
      std::printf("a child ended with %d\n", WEXITSTATUS(status));
      std::printf("no other: %d\n", wait(&status));
    }
  std::printf("before\n");
  turn<<<1, 64>>>(out, in, waits);
  std::printf("between\n");
  if (is("killed"))
    std::system("kill -KILL $(pgrep -f '[c]heck --live -- killed.cuprtrace')");
  add<<<1, 64>>>(out, in, waits);
  if (is("beyond"))
    behind<<<1, 128>>>(out);
  if (is("twice"))
    cudaFree(in);
  cudaFree(in);
  if (!is("leaks"))
    cudaFree(out);
  std::printf("behind\n");
  return 7;
}
