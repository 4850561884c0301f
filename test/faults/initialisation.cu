// Memory that is read before anything has been written there.
#include "cases.h"

constexpr int kThreads = 64;

// The array has never been written.
__global__ void neverWritten(const int *cells, int *out) {
  out[threadIdx.x] = cells[threadIdx.x] + 1; //~ neverWritten: uninitialised-read
}
void neverWrittenCase(bool fixed) {
  const DeviceArray<int> out(kThreads);
  int *cells = nullptr;
  cudaMalloc(&cells, kThreads * sizeof(int));
  if (fixed)
    cudaMemset(cells, 0, kThreads * sizeof(int));
  neverWritten<<<1, kThreads>>>(cells, out);
  cudaDeviceSynchronize();
  cudaFree(cells);
}

// The set has the number of elements where it needs the number of bytes.
__global__ void setTooFew(const int *cells, int *out) {
  out[threadIdx.x] = cells[threadIdx.x] + 1; //~ setTooFew: uninitialised-read
}
void setTooFewCase(bool fixed) {
  const DeviceArray<int> out(kThreads);
  int *cells = nullptr;
  cudaMalloc(&cells, kThreads * sizeof(int));
  cudaMemset(cells, 0, fixed ? kThreads * sizeof(int) : kThreads);
  setTooFew<<<1, kThreads>>>(cells, out);
  cudaDeviceSynchronize();
  cudaFree(cells);
}

// The copy from the host leaves out the last element.
__global__ void copiedTooFew(const double *cells, double *out) {
  out[threadIdx.x] = 2 * cells[threadIdx.x]; //~ copiedTooFew: uninitialised-read
}
void copiedTooFewCase(bool fixed) {
  const DeviceArray<double> out(kThreads);
  const std::vector<double> values(kThreads, 1.5);
  double *cells = nullptr;
  cudaMalloc(&cells, kThreads * sizeof(double));
  cudaMemcpy(cells, values.data(), (kThreads - !fixed) * sizeof(double), cudaMemcpyHostToDevice);
  copiedTooFew<<<1, kThreads>>>(cells, out);
  cudaDeviceSynchronize();
  cudaFree(cells);
}

// The first launch writes half of what the second one reads.
__global__ void writeHalf(int *cells) { cells[threadIdx.x] = threadIdx.x; }
__global__ void readWhole(const int *cells, int *out) {
  out[threadIdx.x] = cells[threadIdx.x] + 1; //~ halfWritten: uninitialised-read
}
void halfWritten(bool fixed) {
  const DeviceArray<int> out(kThreads);
  int *cells = nullptr;
  cudaMalloc(&cells, kThreads * sizeof(int));
  writeHalf<<<1, fixed ? kThreads : kThreads / 2>>>(cells);
  readWhole<<<1, kThreads>>>(cells, out);
  cudaDeviceSynchronize();
  cudaFree(cells);
}

// The sums are added to, and have never been cleared.
__global__ void addedTo(const int *in, int *sums) {
  sums[threadIdx.x] += in[threadIdx.x]; //~ addedTo: uninitialised-read
}
void addedToCase(bool fixed) {
  const DeviceArray<int> in(numbers(kThreads));
  int *sums = nullptr;
  cudaMalloc(&sums, kThreads * sizeof(int));
  if (fixed)
    cudaMemset(sums, 0, kThreads * sizeof(int));
  addedTo<<<1, kThreads>>>(in, sums);
  cudaDeviceSynchronize();
  cudaFree(sums);
}

// The counter is counted up from whatever it is.
__global__ void countedUp(const int *in, int *count) {
  if (in[threadIdx.x] % 2)
    atomicAdd(count, 1); //~ countedUp: uninitialised-read
}
void countedUpCase(bool fixed) {
  const DeviceArray<int> in(numbers(kThreads));
  int *count = nullptr;
  cudaMalloc(&count, sizeof(int));
  if (fixed)
    cudaMemset(count, 0, sizeof(int));
  countedUp<<<1, kThreads>>>(in, count);
  cudaDeviceSynchronize();
  cudaFree(count);
}

struct Particle {
  float x, y, mass;
};

// Particles are placed, and never get a mass.
__global__ void place(Particle *particles, bool fixed) {
  Particle &particle = particles[threadIdx.x];
  particle.x = threadIdx.x;
  particle.y = 1;
  if (fixed)
    particle.mass = 2;
}
__global__ void weigh(const Particle *particles, float *out) {
  const float radius = particles[threadIdx.x].x + particles[threadIdx.x].y;
  out[threadIdx.x] = radius * particles[threadIdx.x].mass; //~ noMass: uninitialised-read
}
void noMass(bool fixed) {
  const DeviceArray<float> out(kThreads);
  Particle *particles = nullptr;
  cudaMalloc(&particles, kThreads * sizeof(Particle));
  place<<<1, kThreads>>>(particles, fixed);
  weigh<<<1, kThreads>>>(particles, out);
  cudaDeviceSynchronize();
  cudaFree(particles);
}

// Texts of 3 characters have no end, and 4 are read.
__global__ void lastByte(const char *texts, int *out) {
  out[threadIdx.x] = *reinterpret_cast<const int *>(texts + 4 * threadIdx.x); //~ lastByte: uninitialised-read
}
void lastByteCase(bool fixed) {
  const DeviceArray<int> out(kThreads);
  char *texts = nullptr;
  cudaMalloc(&texts, 4 * kThreads);
  cudaMemset2D(texts, 4, 'a', 3, kThreads);
  if (fixed)
    cudaMemset2D(texts + 3, 4, 0, 1, kThreads);
  lastByte<<<1, kThreads>>>(texts, out);
  cudaDeviceSynchronize();
  cudaFree(texts);
}

// Of rows with a pitch, what lies between them is added up, too.
__global__ void sumRows(const char *rows, size_t pitch, int width, int *out) {
  const int *row = reinterpret_cast<const int *>(rows + blockIdx.x * pitch);
  if (threadIdx.x < width)
    out[blockIdx.x * kThreads + threadIdx.x] = row[threadIdx.x]; //~ betweenRows: uninitialised-read
}
void betweenRows(bool fixed) {
  constexpr int kRows = 3, kWidth = 50;
  const DeviceArray<int> out(kRows * kThreads);
  void *rows = nullptr;
  size_t pitch = 0;
  cudaMallocPitch(&rows, &pitch, kWidth * sizeof(int), kRows);
  cudaMemset2D(rows, pitch, 0, kWidth * sizeof(int), kRows);
  sumRows<<<kRows, kThreads>>>(static_cast<const char *>(rows), pitch, fixed ? kWidth : kWidth + 4, out);
  cudaDeviceSynchronize();
  cudaFree(rows);
}

// Memory in the order of a stream is as empty as any.
__global__ void fromPool(const int *cells, int *out) {
  out[threadIdx.x] = cells[threadIdx.x]; //~ streamOrdered: uninitialised-read
}
void streamOrdered(bool fixed) {
  const DeviceArray<int> out(kThreads);
  int *cells = nullptr;
  cudaMallocAsync(&cells, kThreads * sizeof(int), cudaStreamPerThread);
  if (fixed)
    cudaMemsetAsync(cells, 0, kThreads * sizeof(int), cudaStreamPerThread);
  fromPool<<<1, kThreads, 0, cudaStreamPerThread>>>(cells, out);
  cudaFreeAsync(cells, cudaStreamPerThread);
  cudaStreamSynchronize(cudaStreamPerThread);
}

// What was in the memory before it was freed does not come back with it.
__global__ void fillCells(int *cells) { cells[threadIdx.x] = threadIdx.x; }
__global__ void readAgain(const int *cells, int *out) {
  out[threadIdx.x] = cells[threadIdx.x]; //~ allocatedAgain: uninitialised-read
}
void allocatedAgain(bool fixed) {
  const DeviceArray<int> out(kThreads);
  int *cells = nullptr;
  cudaMalloc(&cells, kThreads * sizeof(int));
  fillCells<<<1, kThreads>>>(cells);
  if (!fixed) {
    cudaDeviceSynchronize();
    cudaFree(cells);
    cudaMalloc(&cells, kThreads * sizeof(int));
  }
  readAgain<<<1, kThreads>>>(cells, out);
  cudaDeviceSynchronize();
  cudaFree(cells);
}

// The rows above and below the picture have been allocated, and not filled.
__global__ void blurColumns(const float *picture, float *out, int width) {
  const int at = (blockIdx.x + 1) * width + threadIdx.x;
  out[at] = picture[at];
  out[at] += picture[at - width] + picture[at + width]; //~ haloRows: uninitialised-read
}
void haloRows(bool fixed) {
  constexpr int kRows = 4;
  const DeviceArray<float> out((kRows + 2) * kThreads);
  const std::vector<float> values(kRows * kThreads, 1);
  float *picture = nullptr;
  cudaMalloc(&picture, (kRows + 2) * kThreads * sizeof(float));
  if (fixed)
    cudaMemset(picture, 0, (kRows + 2) * kThreads * sizeof(float));
  cudaMemcpy(picture + kThreads, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice);
  blurColumns<<<kRows, kThreads>>>(picture, out, kThreads);
  cudaDeviceSynchronize();
  cudaFree(picture);
}

// The upper half of the cells is filled by nobody.
__global__ void sharedHalf(const int *in, int *out, bool fixed) {
  __shared__ int cells[kThreads];
  const int t = threadIdx.x;
  if (fixed || t < kThreads / 2)
    cells[t] = in[t];
  __syncthreads();
  out[t] = cells[kThreads - 1 - t]; //~ sharedHalf: uninitialised-read
}

// The cells beside the tile are filled by nobody.
__global__ void sharedHalo(const int *in, int *out, bool fixed) {
  __shared__ int cells[kThreads + 2];
  const int t = threadIdx.x;
  cells[t + 1] = in[t];
  if (fixed && t == 0)
    cells[0] = cells[kThreads + 1] = 0;
  __syncthreads();
  out[t] = cells[t] + cells[t + 2]; //~ sharedHalo: uninitialised-read
}

// The bins of the block are counted into, and have never been cleared.
__global__ void sharedBins(const int *in, int *out, bool fixed) {
  __shared__ int bins[8];
  const int t = threadIdx.x;
  if (fixed && t < 8)
    bins[t] = 0;
  __syncthreads();
  atomicAdd(&bins[in[t] % 8], 1); //~ sharedBins: uninitialised-read
  __syncthreads();
  if (t < 8)
    out[t] = bins[t];
}

// One thread is to set the result's beginning, and it is one that doesn't exist.
__global__ void sharedSeed(const int *in, int *out, bool fixed) {
  __shared__ int seed;
  const int t = threadIdx.x;
  if (t == (fixed ? kThreads - 1 : kThreads))
    seed = in[0] + 17;
  __syncthreads();
  out[t] = seed + t; //~ sharedSeed: uninitialised-read
}

// Dynamic shared memory is read in the launch behind the one that has filled it.
__global__ void sharedKept(int *out, bool fills, bool reads) {
  extern __shared__ int kept[];
  const int t = threadIdx.x;
  if (fills)
    kept[t] = 3 * t;
  __syncthreads();
  if (reads)
    out[t] = kept[kThreads - 1 - t]; //~ sharedKept: uninitialised-read
}
void sharedKeptCase(bool fixed) {
  const DeviceArray<int> out(kThreads);
  sharedKept<<<1, kThreads, kThreads * sizeof(int)>>>(out, true, fixed);
  if (!fixed)
    sharedKept<<<1, kThreads, kThreads * sizeof(int)>>>(out, false, true);
}

// The second block relies on what the first one has put into its own shared memory.
__global__ void sharedByFirst(const int *in, int *out, bool fixed) {
  __shared__ int table[kThreads];
  const int t = threadIdx.x;
  if (fixed || blockIdx.x == 0)
    table[t] = in[t] * in[t];
  __syncthreads();
  out[blockIdx.x * kThreads + t] = table[t ^ 1]; //~ sharedByFirst: uninitialised-read
}

int main(int argc, char **argv) {
  return casesMain(argc, argv,
                   {
                       {"neverWritten", neverWrittenCase},
                       {"setTooFew", setTooFewCase},
                       {"copiedTooFew", copiedTooFewCase},
                       {"halfWritten", halfWritten},
                       {"addedTo", addedToCase},
                       {"countedUp", countedUpCase},
                       {"noMass", noMass},
                       {"lastByte", lastByteCase},
                       {"betweenRows", betweenRows},
                       {"streamOrdered", streamOrdered},
                       {"allocatedAgain", allocatedAgain},
                       {"haloRows", haloRows},
                       PLAIN_CASE(sharedHalf, 1, kThreads),
                       PLAIN_CASE(sharedHalo, 1, kThreads),
                       PLAIN_CASE(sharedBins, 1, kThreads),
                       PLAIN_CASE(sharedSeed, 1, kThreads),
                       {"sharedKept", sharedKeptCase},
                       PLAIN_CASE(sharedByFirst, 2, kThreads),
                   });
}
