// Accesses of memory that belongs to nobody, misaligned ones, frees, barriers and waits that go wrong: what
// the CPU device says, literally, and the error that a GPU gives. Run with "off", it looks at nothing.
#include "check.h"
#include <cstring>
#include <functional>
#include <string>

struct Wide {
  int word[24];
};

constexpr int kWriteLine = __LINE__ + 1;
__global__ void write(int *p) { p[threadIdx.x] = 1; }
__global__ void writeByte(char *p, int at) { p[at] = 1; }
__global__ void writeAt(int *p, int at) { p[at] = 1; }
__global__ void loadVector(float4 *p, int at) { p[0] = p[at]; }
__global__ void addAt(int *p, int at) { atomicAdd(p + at, 1); }
__global__ void copyWide(Wide *p, int at) { p[0] = p[at]; }
__global__ void copyBytes(char *p, int from, int bytes) { memcpy(p, p + from, bytes); }
__global__ void writeStatic(int *p, int at) {
  __shared__ int s[32];
  s[threadIdx.x] = p[0];
  s[at] = 2;
  __syncthreads();
  p[threadIdx.x] = s[31 - threadIdx.x];
}
__global__ void writeDynamic(int *p, int at) {
  extern __shared__ int d[];
  d[at] = p[0];
  __syncthreads();
  p[threadIdx.x] = d[threadIdx.x];
}

constexpr int kSplitLine = __LINE__ + 3;
__global__ void split(int *p) {
  if (threadIdx.x < 8)
    __syncthreads();
  else
    __syncthreads();
  p[threadIdx.x] = 5;
}
constexpr int kStuckLine = __LINE__ + 5;
__global__ void stuck(int *p) {
  if (threadIdx.x < 32)
    p[threadIdx.x] = __shfl_sync(0xffffffffu, p[threadIdx.x], 2);
  else if (threadIdx.x < 36)
    __syncwarp(0xffu);
  else
    __syncthreads();
}
constexpr int kSpinLine = __LINE__ + 2;
__global__ void spin(volatile int *p) {
  while (p[0] == 0) {
  }
}

static std::string at(int line) { return std::string(__FILE__) + ":" + std::to_string(line); }

static void expect(const std::string &text, const std::string &part, cudaError_t error) {
  CHECK(text.find(part) != std::string::npos, "no '%s' in: %s", part.c_str(), text.c_str());
  CHECK(cudaDeviceSynchronize() == error, "%s", cudaGetErrorName(cudaDeviceSynchronize()));
  CUDA(cudaDeviceReset());
}

constexpr int kMallocLine = __LINE__ + 3;
template <typename T> static T *allocated(std::size_t bytes) {
  T *p = nullptr;
  CUDA(cudaMalloc(reinterpret_cast<void **>(&p), bytes));
  return p;
}

static std::string from(std::size_t bytes) {
  return " in an allocation of " + std::to_string(bytes) + " bytes (cudaMalloc, " + at(kMallocLine) + ")";
}

static void addresses() {
  // Every size up to two pages has its own last byte.
  for (const int bytes : {1, 10, 4095, 4096, 4097}) {
    char *const p = allocated<char>(bytes);
    writeByte<<<1, 1>>>(p, 0);
    writeByte<<<1, 1>>>(p, bytes - 1);
    CUDA(cudaDeviceSynchronize());
    char text[100];
    std::snprintf(text, sizeof text, "illegal access to address %p (store of 1 bytes, ", p + bytes);
    const std::string words = said([&] { writeByte<<<1, 1>>>(p, bytes); });
    CHECK(words.find(text + at(kWriteLine + 1)) != std::string::npos, "%s", words.c_str());
    expect(words, "offset " + std::to_string(bytes) + from(bytes), cudaErrorIllegalAddress);
  }
  int *p = allocated<int>(400);
  expect(said([&] { write<<<3, 128>>>(p); }),
         "kernel write(int*), block (0,0,0), thread (100,0,0): illegal access to address 0x200000000190 "
         "(store of 4 "
         "bytes, " +
             at(kWriteLine) + "): offset 400" + from(400) + "\n",
         cudaErrorIllegalAddress);
  p = allocated<int>(10);
  expect(said([&] { writeAt<<<1, 1>>>(p, 2); }), "offset 8" + from(10), cudaErrorIllegalAddress);
  p = allocated<int>(4096);
  int *const second = allocated<int>(100);
  expect(said([&] { writeAt<<<1, 1>>>(second, -1); }), "offset -4" + from(100), cudaErrorIllegalAddress);
  p = allocated<int>(40);
  expect(said([&] { loadVector<<<1, 1>>>(reinterpret_cast<float4 *>(p), 2); }), "(load of 16 bytes, ",
         cudaErrorIllegalAddress);
  p = allocated<int>(40);
  expect(said([&] { addAt<<<1, 1>>>(p, 10); }), "(atomic add of 4 bytes, ", cudaErrorIllegalAddress);
  // 96 bytes, of which 4 are beyond; the copy crosses a page.
  p = allocated<int>(8 * 1024 - 4);
  expect(said([&] { copyWide<<<1, 1>>>(reinterpret_cast<Wide *>(reinterpret_cast<char *>(p) + 32), 84); }),
         "offset 8096" + from(8188), cudaErrorIllegalAddress);
  p = allocated<int>(5000);
  copyBytes<<<1, 1>>>(reinterpret_cast<char *>(p), 2500, 2500);
  CUDA(cudaDeviceSynchronize());
  expect(said([&] { copyBytes<<<1, 1>>>(reinterpret_cast<char *>(p), 2500, 2501); }),
         "offset 2500" + from(5000), cudaErrorIllegalAddress);
  expect(said([&] { writeAt<<<1, 1>>>(nullptr, 3); }),
         "illegal access to address 0xc (store of 4 bytes, " + at(kWriteLine + 2) + "): a null pointer",
         cudaErrorIllegalAddress);
  expect(said([&] { writeAt<<<1, 1>>>(reinterpret_cast<int *>(0x200400000000), 0); }),
         "no allocation is near", cudaErrorIllegalAddress);
  // Outside of the device's memory the processor notices; the line comes from the program's line table.
  expect(said([&] { writeAt<<<1, 1>>>(reinterpret_cast<int *>(0x300000000000), 0); }),
         "illegal access to address 0x300000000000, " + at(kWriteLine + 2), cudaErrorIllegalAddress);
  p = allocated<int>(64);
  expect(said([&] { writeAt<<<1, 1>>>(reinterpret_cast<int *>(reinterpret_cast<char *>(p) + 2), 1); }),
         "misaligned access to address 0x200000000006 (store of 4 bytes, " + at(kWriteLine + 2) +
             "): not a multiple of 4",
         cudaErrorMisalignedAddress);
}

static void frees() {
  int *const p = allocated<int>(64);
  CUDA(cudaFree(p));
  const int freeLine = __LINE__ - 1;
  // Memory is given out again only later.
  CHECK(allocated<int>(64) != p, "the place is in use again");
  const std::string gone = from(64) + ", which was freed (cudaFree, " + at(freeLine) + ")";
  const std::string twice = said([&] { CHECK(cudaFree(p) == cudaErrorInvalidValue, "freed twice"); });
  CHECK(twice.find("cuprewrite: CPU device: cudaFree can't free 0x200000000000, " + at(__LINE__ - 1) +
                   ": offset 0" + gone) != std::string::npos,
        "%s", twice.c_str());
  CHECK(cudaGetLastError() == cudaErrorInvalidValue, "the error was not noted");
  expect(said([&] { writeAt<<<1, 1>>>(p, 3); }), "offset 12" + gone, cudaErrorIllegalAddress);
  // More allocations than fit at once.
  for (int i = 0; i < 1000; ++i)
    CUDA(cudaFree(allocated<char>(std::size_t{1} << 30)));
}

static void shared() {
  int *p = allocated<int>(128);
  writeStatic<<<1, 32>>>(p, 31);
  writeDynamic<<<1, 32, 128>>>(p, 31);
  CUDA(cudaDeviceSynchronize());
  expect(said([&] { writeStatic<<<1, 32>>>(p, 32); }), "offset 128 in the block's 128 bytes of shared memory",
         cudaErrorIllegalAddress);
  p = allocated<int>(128);
  expect(said([&] { writeDynamic<<<1, 32, 128>>>(p, 32); }),
         "offset 128 in the block's 128 bytes of shared memory", cudaErrorIllegalAddress);
  p = allocated<int>(128);
  expect(said([&] { writeDynamic<<<1, 32, 128>>>(p, -300); }), "offset -1200 in the block's 128 bytes",
         cudaErrorIllegalAddress);
}

static void waits() {
  int *p = allocated<int>(256);
  const std::string different = said([&] {
    split<<<2, 64>>>(p);
    split<<<2, 64>>>(p);
  });
  CHECK(different.find("kernel split(int*), block (") != std::string::npos, "%s", different.c_str());
  const std::string lanes =
      "threads of warp 0 are at different barriers, which is undefined on a GPU: lanes 0x000000ff (" +
      at(kSplitLine) + "); lanes 0xffffff00 (" + at(kSplitLine + 2) + ");\n";
  const std::size_t first = different.find(lanes);
  CHECK(first != std::string::npos && different.find("threads of", first + 1) == std::string::npos, "%s",
        different.c_str());
  int value = 0;
  CUDA(cudaMemcpy(&value, p + 63, 4, cudaMemcpyDeviceToHost));
  CHECK(value == 5, "%d", value);
  expect(said([&] { stuck<<<1, 64>>>(p); }),
         "kernel stuck(int*), block (0,0,0): deadlock: none of the 32 threads left can go on: warp 1, lanes "
         "0x0000000f wait for the lanes 0x000000ff (" +
             at(kStuckLine) + "); warp 1, lanes 0xfffffff0 wait at barrier 0, where 28 have arrived (" +
             at(kStuckLine + 2) + ");\n",
         cudaErrorLaunchFailure);
  p = allocated<int>(256);
  expect(said([&] { stuck<<<1, 128>>>(p); }),
         "none of the 96 threads left can go on: warp 1, lanes 0x0000000f wait for the lanes 0x000000ff (" +
             at(kStuckLine) + "); warp 1, lanes 0xfffffff0 wait at barrier 0, where 92 have arrived (" +
             at(kStuckLine + 2) + "), and likewise 64 threads of 2 more warps;\n",
         cudaErrorLaunchFailure);
  p = allocated<int>(4);
  expect(said([&] { spin<<<1, 32>>>(p); }),
         "it still waits for another thread after the 1 s of CUPR_CPU_TIMEOUT, at " + at(kSpinLine) + "\n",
         cudaErrorLaunchTimeout);
}

int main(int argc, char **arguments) {
  keepStandardError(arguments);
  setenv("CUPR_CPU_TIMEOUT", "1", 1);
  if (argc > 1) {
    setenv("CUPR_CPU_CHECK", "0", 1);
    int *const p = allocated<int>(400);
    write<<<1, 128>>>(p);
    CUDA(cudaFree(p));
    CHECK(allocated<int>(400) == p, "the place is not used again");
    CUDA(cudaDeviceSynchronize());
  } else {
    addresses();
    frees();
    shared();
    waits();
  }
  std::puts("ok");
}
