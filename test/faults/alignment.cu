// Accesses of more bytes than their address is a multiple of.
#include "cases.h"

constexpr int kThreads = 32;

// Four numbers are loaded at once from the second number on.
__global__ void fourNumbers(const int *in, int4 *out, int first) {
  out[threadIdx.x] = reinterpret_cast<const int4 *>(in + first)[threadIdx.x]; //~ fourNumbers: misaligned
}

// Pairs of floats begin at an odd one.
__global__ void oddPairs(const float *in, float *out, int first) {
  const float2 pair = reinterpret_cast<const float2 *>(in + first)[threadIdx.x]; //~ oddPairs: misaligned
  out[threadIdx.x] = pair.x + pair.y;
}

// A number of 8 bytes stands behind a head of 4.
__global__ void behindHead(char *records, int head) {
  reinterpret_cast<double *>(records + head)[threadIdx.x] = threadIdx.x; //~ behindHead: misaligned
}

// Samples of 2 bytes begin behind one byte.
__global__ void oddBytes(const unsigned char *bytes, int *out, int first) {
  out[threadIdx.x] = reinterpret_cast<const short *>(bytes + first)[threadIdx.x]; //~ oddBytes: misaligned
}

// In dynamic shared memory, pairs come behind an odd number of others.
__global__ void sharedPairs(int *out, int others) {
  extern __shared__ int dynamic[];
  int2 *pairs = reinterpret_cast<int2 *>(dynamic + others);
  pairs[threadIdx.x] = make_int2(threadIdx.x, 1); //~ sharedPairs: misaligned
  __syncwarp();
  out[threadIdx.x] = dynamic[others + 2 * (threadIdx.x ^ 1)];
}

// A count of 8 bytes lies at a multiple of 4.
__global__ void wideCount(int *cells, int first) {
  atomicAdd(reinterpret_cast<unsigned long long *>(cells + first), 1ull); //~ wideCount: misaligned
}

template <typename In, typename Out> void run(void (*kernel)(In *, Out *, int), int first) {
  const DeviceArray<char> in(1024), out(1024);
  void *from = in, *to = out;
  kernel<<<1, kThreads>>>(static_cast<In *>(from), static_cast<Out *>(to), first);
}

int main(int argc, char **argv) {
  return casesMain(argc, argv,
                   {
                       {"fourNumbers", [](bool fixed) { run(fourNumbers, fixed ? 4 : 1); }},
                       {"oddPairs", [](bool fixed) { run(oddPairs, fixed ? 2 : 1); }},
                       {"oddBytes", [](bool fixed) { run(oddBytes, fixed ? 2 : 1); }},
                       {"behindHead",
                        [](bool fixed) {
                          const DeviceArray<char> records(1024);
                          behindHead<<<1, kThreads>>>(records, fixed ? 8 : 4);
                        }},
                       {"sharedPairs",
                        [](bool fixed) {
                          const DeviceArray<int> out(kThreads);
                          sharedPairs<<<1, kThreads, 1024>>>(out, fixed ? 2 : 1);
                        }},
                       {"wideCount",
                        [](bool fixed) {
                          const DeviceArray<int> cells(4);
                          wideCount<<<1, kThreads>>>(cells, fixed ? 2 : 1);
                        }},
                   });
}
