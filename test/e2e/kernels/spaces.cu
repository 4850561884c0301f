/// All kinds of memory, each access counted where it is. Compiled with --spaces=global,shared,constant,local.
/// - transpose: blocks of 16 x 16 turn a tile of a 32 x 32 matrix: per thread one global load, one shared
/// store, one
///   shared load, one global store.
/// - translate: 2 blocks of 64 threads look their number up in a table of 16 constants and store it.
/// - shuffle: one block of 32 threads; each fills 8 local words and reads the same number, in another order:
/// the loop
///   has a length that is not known when compiling, so the words stay in memory.
/// - either: 2 blocks of 64 threads, all of which store one shared word; odd threads load a shared word, even
/// ones a
///   global one, through one pointer; then all store.
#include "verdict.h"

__constant__ int table[16];

__global__ void transpose(const float *in, float *out) {
  __shared__ float tile[16][17];
  const int x = 16 * blockIdx.x + threadIdx.x, y = 16 * blockIdx.y + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[32 * y + x];
  __syncthreads();
  out[32 * (16 * blockIdx.x + threadIdx.y) + 16 * blockIdx.y + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void translate(int *out) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  out[i] = table[i % 16];
}

__global__ void shuffle(int *out, int n) {
  int words[8];
  for (int k = 0; k < n; ++k)
    words[(3 * k + threadIdx.x) % 8] = k;
  int sum = 0;
  for (int k = 0; k < n; ++k)
    sum = 3 * sum + words[(5 * k + threadIdx.x) % 8];
  out[threadIdx.x] = sum;
}

__global__ void either(const int *in, int *out) {
  __shared__ int words[64];
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  words[threadIdx.x] = -i;
  __syncthreads();
  const int *from = threadIdx.x % 2 ? &words[threadIdx.x ^ 2] : &in[i];
  out[i] = *from;
}

int main() {
  Verdict verdict("spaces");
  const auto matrix = generate<float>(1024, [](std::size_t i) { return float(i); });
  Device<float> in(matrix), out(1024);
  transpose<<<dim3(2, 2), dim3(16, 16)>>>(in, out);
  verdict.equal("transposed", out.read(),
                generate<float>(1024, [](std::size_t i) { return float(32 * (i % 32) + i / 32); }));

  const auto constants = generate<int>(16, [](std::size_t i) { return int(100 - i); });
  MUST(cudaMemcpyToSymbol(table, constants.data(), sizeof table));
  Device<int> translated(128);
  translate<<<2, 64>>>(translated);
  verdict.equal("translated", translated.read(),
                generate<int>(128, [](std::size_t i) { return int(100 - i % 16); }));

  Device<int> shuffled(32);
  shuffle<<<1, 32>>>(shuffled, 8);
  verdict.equal("shuffled", shuffled.read(), generate<int>(32, [](std::size_t thread) {
                  int words[8], sum = 0;
                  for (unsigned k = 0; k < 8; ++k)
                    words[(3 * k + thread) % 8] = int(k);
                  for (unsigned k = 0; k < 8; ++k)
                    sum = 3 * sum + words[(5 * k + thread) % 8];
                  return sum;
                }));

  Device<int> global(generate<int>(128, [](std::size_t i) { return int(i); })), chosen(128);
  either<<<2, 64>>>(global, chosen);
  verdict.equal("chosen", chosen.read(),
                generate<int>(128, [](std::size_t i) { return i % 2 ? -int(i ^ 2) : int(i); }));
  return verdict.finish();
}
