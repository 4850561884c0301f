// Device memory that is used after it has been freed, or never freed.
#include "cases.h"

constexpr int kThreads = 64;

// A launch reads what has been freed in front of it.
__global__ void readCells(const int *cells, int *out) {
  out[threadIdx.x] = cells[threadIdx.x]; //~ readAfterFree: use-after-free
}
void readAfterFree(bool fixed) {
  const DeviceArray<int> out(kThreads);
  int *cells = nullptr;
  cudaMalloc(&cells, kThreads * sizeof(int));
  cudaMemset(cells, 0, kThreads * sizeof(int));
  cudaDeviceSynchronize();
  if (!fixed)
    cudaFree(cells);
  readCells<<<1, kThreads>>>(cells, out);
  cudaDeviceSynchronize();
  if (fixed)
    cudaFree(cells);
}

// A launch writes to what has been freed in front of it.
__global__ void writeCells(int *cells) {
  cells[threadIdx.x] = threadIdx.x; //~ writtenAfterFree: use-after-free on cpu
}
void writtenAfterFree(bool fixed) {
  int *cells = nullptr;
  cudaMalloc(&cells, kThreads * sizeof(int));
  if (!fixed)
    cudaFree(cells);
  writeCells<<<1, kThreads>>>(cells);
  cudaDeviceSynchronize();
  if (fixed)
    cudaFree(cells);
}

// A table on the device keeps the address of an array that has been freed.
__global__ void throughTable(int *const *arrays, int *out) {
  out[threadIdx.x] = arrays[0][threadIdx.x];
  out[threadIdx.x] += arrays[1][threadIdx.x]; //~ freedInTable: use-after-free
}
void freedInTable(bool fixed) {
  const DeviceArray<int> first(kThreads), out(kThreads);
  int *second = nullptr;
  cudaMalloc(&second, kThreads * sizeof(int));
  cudaMemset(second, 1, kThreads * sizeof(int));
  const DeviceArray<int *> arrays(std::vector<int *>{first, second});
  if (!fixed)
    cudaFree(second);
  throughTable<<<1, kThreads>>>(arrays, out);
  cudaDeviceSynchronize();
  if (fixed)
    cudaFree(second);
}

// An array has grown, and who has its old address goes on using it.
__global__ void addOne(int *cells) {
  ++cells[threadIdx.x]; //~ grown: use-after-free
}
void grow(int **cells) {
  int *larger = nullptr;
  cudaMalloc(&larger, 2 * kThreads * sizeof(int));
  cudaMemset(larger, 0, 2 * kThreads * sizeof(int));
  cudaMemcpy(larger, *cells, kThreads * sizeof(int), cudaMemcpyDeviceToDevice);
  cudaDeviceSynchronize();
  cudaFree(*cells);
  *cells = larger;
}
void grown(bool fixed) {
  int *cells = nullptr;
  cudaMalloc(&cells, kThreads * sizeof(int));
  cudaMemset(cells, 0, kThreads * sizeof(int));
  int *part = cells;
  grow(&cells);
  if (fixed)
    part = cells;
  addOne<<<1, kThreads>>>(part);
  cudaDeviceSynchronize();
  cudaFree(cells);
}

// Memory is freed in a stream in front of the launch that needs it.
__global__ void readInStream(const int *cells, int *out) {
  out[threadIdx.x] = cells[threadIdx.x] + 1; //~ freedInStream: use-after-free
}
void freedInStream(bool fixed) {
  const DeviceArray<int> out(kThreads);
  int *cells = nullptr;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMallocAsync(&cells, kThreads * sizeof(int), stream);
  cudaMemsetAsync(cells, 0, kThreads * sizeof(int), stream);
  if (!fixed)
    cudaFreeAsync(cells, stream);
  readInStream<<<1, kThreads, 0, stream>>>(cells, out);
  if (fixed)
    cudaFreeAsync(cells, stream);
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
}

__device__ int *scratch;

// A variable of the device still points to scratch memory that is gone.
__global__ void useScratch(int *out) {
  out[threadIdx.x] = scratch[threadIdx.x]; //~ scratchGone: use-after-free
}
void scratchGone(bool fixed) {
  const DeviceArray<int> out(kThreads);
  int *cells = nullptr;
  cudaMalloc(&cells, kThreads * sizeof(int));
  cudaMemset(cells, 0, kThreads * sizeof(int));
  cudaMemcpyToSymbol(scratch, &cells, sizeof cells);
  if (!fixed)
    cudaFree(cells);
  useScratch<<<1, kThreads>>>(out);
  cudaDeviceSynchronize();
  if (fixed)
    cudaFree(cells);
}

// The function that makes the counter frees it when it returns its address.
__global__ void count(const int *in, int *counter) {
  if (in[threadIdx.x] % 2)
    atomicAdd(counter, 1); //~ counterGone: use-after-free
}
int *makeCounter(bool fixed) {
  int *counter = nullptr;
  cudaMalloc(&counter, sizeof(int));
  cudaMemset(counter, 0, sizeof(int));
  if (!fixed)
    cudaFree(counter);
  return counter;
}
void counterGone(bool fixed) {
  const DeviceArray<int> in(numbers(kThreads));
  int *counter = makeCounter(fixed);
  count<<<1, kThreads>>>(in, counter);
  cudaDeviceSynchronize();
  if (fixed)
    cudaFree(counter);
}

__managed__ int lastFilled; // nobody's to free

__global__ void fill(int *cells) {
  cells[threadIdx.x] = threadIdx.x;
  if (threadIdx.x == 0)
    lastFilled = blockDim.x;
}

// Nobody frees the array.
void neverFreed(bool fixed) {
  int *cells = nullptr;
  cudaMalloc(&cells, kThreads * sizeof(int)); //~ neverFreed: leak
  fill<<<1, kThreads>>>(cells);
  cudaDeviceSynchronize();
  if (fixed)
    cudaFree(cells);
}

// The pointer is given another array, and the first one is lost.
void pointerLost(bool fixed) {
  int *cells = nullptr;
  cudaMalloc(&cells, kThreads * sizeof(int)); //~ pointerLost: leak
  fill<<<1, kThreads>>>(cells);
  cudaDeviceSynchronize();
  if (fixed)
    cudaFree(cells);
  cudaMalloc(&cells, kThreads * sizeof(int));
  fill<<<1, kThreads>>>(cells);
  cudaDeviceSynchronize();
  cudaFree(cells);
}

// Where there is nothing to do, the function returns too early to free.
void returnedEarly(bool fixed) {
  int *cells = nullptr;
  cudaMalloc(&cells, kThreads * sizeof(int)); //~ returnedEarly: leak
  const int work = fixed ? 1 : 0;
  if (work == 0)
    return;
  fill<<<work, kThreads>>>(cells);
  cudaDeviceSynchronize();
  cudaFree(cells);
}

// Of three arrays two are freed.
void lastOfThree(bool fixed) {
  int *arrays[3] = {};
  for (int *&array : arrays)
    cudaMalloc(&array, kThreads * sizeof(int)); //~ lastOfThree: leak
  for (int *array : arrays)
    fill<<<1, kThreads>>>(array);
  cudaDeviceSynchronize();
  for (int i = 0; i < (fixed ? 3 : 2); ++i)
    cudaFree(arrays[i]);
}

// What a stream has allocated, it doesn't free.
void streamKeeps(bool fixed) {
  int *cells = nullptr;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMallocAsync(&cells, kThreads * sizeof(int), stream); //~ streamKeeps: leak
  fill<<<1, kThreads, 0, stream>>>(cells);
  if (fixed)
    cudaFreeAsync(cells, stream);
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
}

// The picture stays when its rows have been worked on.
void pictureStays(bool fixed) {
  void *picture = nullptr;
  size_t pitch = 0;
  cudaMallocPitch(&picture, &pitch, kThreads * sizeof(int), 2); //~ pictureStays: leak
  fill<<<1, kThreads>>>(static_cast<int *>(picture));
  cudaDeviceSynchronize();
  if (fixed)
    cudaFree(picture);
}

int main(int argc, char **argv) {
  return casesMain(argc, argv,
                   {
                       {"readAfterFree", readAfterFree},
                       {"writtenAfterFree", writtenAfterFree},
                       {"freedInTable", freedInTable},
                       {"grown", grown},
                       {"freedInStream", freedInStream},
                       {"scratchGone", scratchGone},
                       {"counterGone", counterGone},
                       {"neverFreed", neverFreed},
                       {"pointerLost", pointerLost},
                       {"returnedEarly", returnedEarly},
                       {"lastOfThree", lastOfThree},
                       {"streamKeeps", streamKeeps},
                       {"pictureStays", pictureStays},
                   });
}
