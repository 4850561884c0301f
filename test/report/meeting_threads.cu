/// The access of figure 6 of Beránek 2018: threads 0 to 3 and 16 to 19 of a warp want other words of banks 0 to 3. Behind it the same with 8 bytes
/// each, with one word for all, and by atomics of one word.
__global__ void meet(int *out) {
  __shared__ double wide[64];
  int *const words = reinterpret_cast<int *>(wide);
  for (unsigned word = threadIdx.x; word < 128; word += 32)
    words[word] = static_cast<int>(word);
  __syncthreads();
  const unsigned place = threadIdx.x / 4 == 4 ? threadIdx.x + 16 : threadIdx.x;
  int sum = words[place];
  sum += static_cast<int>(wide[place]);
  sum += *static_cast<volatile int *>(words + 5 * (out != nullptr));
  atomicAdd(words + 7, sum);
  __syncthreads();
  out[threadIdx.x] = words[7];
}

int main() {
  int *out;
  cudaMalloc(&out, 32 * sizeof *out);
  meet<<<1, 32>>>(out);
  return cudaDeviceSynchronize();
}
