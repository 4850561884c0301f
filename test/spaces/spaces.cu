// Shared variables of all kinds, and accesses of textures and surfaces. The program prints what each thread of block 0 does, as
// spaces.py expects to find it in the trace: the first line of a kernel gives its name.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CUDA(call)                                                                                           \
  do                                                                                                         \
    if (const cudaError_t error = (call)) {                                                                  \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));                    \
      std::exit(1);                                                                                          \
    }                                                                                                        \
  while (false)

constexpr int kThreads = 64;

struct Particle {
  float x, y;
  short kind;
};

namespace field {
__shared__ int counters[3];
}
extern __shared__ double rest[];

/// Where the variable lies, as the hardware counts.
__device__ unsigned placeOf(const void *variable) {
  return static_cast<unsigned>(__cvta_generic_to_shared(variable));
}

template <class T> __device__ T *room() {
  __shared__ T places[kThreads];
  return places;
}

__global__ void staticOnes(float *out) {
  __shared__ float tile[32][33];
  __shared__ Particle particles[kThreads];
  __shared__ unsigned char flag;
  const unsigned t = threadIdx.x;
  tile[t % 32][t / 32 + 7] = static_cast<float>(t);
  particles[t].kind = static_cast<short>(t);
  if (t == 5)
    flag = 1;
  __syncthreads();
  out[t] = tile[(t + 1) % 32][t / 32 + 7] + particles[kThreads - 1 - t].kind + flag;
  if (blockIdx.x == 0) {
    std::printf("thread %u store 4 tile[%u][%u]\n", t, t % 32, t / 32 + 7);
    std::printf("thread %u store 2 particles[%u]+0x8\n", t, t);
    if (t == 5)
      std::printf("thread 5 store 1 flag\n");
    std::printf("thread %u load 4 tile[%u][%u]\n", t, (t + 1) % 32, t / 32 + 7);
    std::printf("thread %u load 2 particles[%u]+0x8\n", t, kThreads - 1 - t);
    std::printf("thread %u load 1 flag\n", t);
  }
  if (blockIdx.x == 0 && t == 0) {
    std::printf("variable tile %u 4224 float[32][33]\n", placeOf(tile));
    std::printf("variable particles %u %u Particle[64]\n", placeOf(particles), kThreads * 12);
    std::printf("variable flag %u 1 unsigned char\n", placeOf(&flag));
  }
}

__global__ void others(double *out) {
  const unsigned t = threadIdx.x;
  int *const numbers = room<int>();
  numbers[t] = static_cast<int>(t);
  rest[kThreads - 1 - t] = t;
  if (t < 3)
    field::counters[t] = static_cast<int>(t);
  __syncthreads();
  out[t] = rest[t] + numbers[t ^ 1] + field::counters[2];
  if (blockIdx.x == 0) {
    std::printf("thread %u store 4 places[%u]\n", t, t);
    std::printf("thread %u store 8 rest[%u]\n", t, kThreads - 1 - t);
    if (t < 3)
      std::printf("thread %u store 4 field::counters[%u]\n", t, t);
    std::printf("thread %u load 8 rest[%u]\n", t, t);
    std::printf("thread %u load 4 places[%u]\n", t, t ^ 1);
    std::printf("thread %u load 4 field::counters[2]\n", t);
  }
  if (blockIdx.x == 0 && t == 0) {
    std::printf("variable places %u %u int[64]\n", placeOf(numbers), kThreads * 4);
    std::printf("variable rest %u 0 double[]\n", placeOf(rest));
    std::printf("variable field::counters %u 12 int[3]\n", placeOf(field::counters));
  }
}

// Intrinsics of LLVM, which no header of CUDA's calls.
extern "C" __device__ int surfaceLoad(cudaSurfaceObject_t, int, int) __asm("llvm.nvvm.suld.2d.i32.zero");
extern "C" __device__ void surfaceStore(cudaSurfaceObject_t, int, int,
                                        int) __asm("llvm.nvvm.sust.b.2d.i32.zero");

__global__ void textures(float *out, cudaTextureObject_t line, cudaTextureObject_t plane,
                         cudaTextureObject_t layers, cudaTextureObject_t volume,
                         cudaSurfaceObject_t surface) {
  const unsigned t = threadIdx.x;
  const float x = static_cast<float>(t % 8) + 0.5f, y = static_cast<float>(t / 8) * 0.25f;
  float sum = tex1Dfetch<float>(line, static_cast<int>(t) * 2);
  sum += tex2D<float>(plane, x, y);
  sum += tex2DLayered<float>(layers, x, y, static_cast<int>(t) % 3);
  sum += tex3D<float>(volume, x, y, -2.5f);
  int number;
  surf2Dread(&number, surface, static_cast<int>(t % 4) * 4, static_cast<int>(t / 16));
  sum += static_cast<float>(number);
  if (t >= 40)
    surf2Dwrite(static_cast<int>(t), surface, static_cast<int>(t % 4) * 4, 5);
  sum += static_cast<float>(surfaceLoad(surface, static_cast<int>(t % 4) * 4, 6));
  surfaceStore(surface, static_cast<int>(t % 4) * 4, 6, static_cast<int>(t));
  asm volatile("sured.b.add.2d.u32.zero [%0, {%1, %2}], %3;" ::"l"(surface), "r"(t % 8 * 4), "r"(7), "r"(t));
  out[t] = sum;
  if (blockIdx.x == 0) {
    std::printf("thread %u surface load 4 %llx (%u, 6)\n", t, surface, t % 4 * 4);
    std::printf("thread %u surface store 4 %llx (%u, 6)\n", t, surface, t % 4 * 4);
    std::printf("thread %u surface add 4 %llx (%u, 7)\n", t, surface, t % 8 * 4);
    std::printf("thread %u texture fetch 16 %llx (%u)\n", t, line, t * 2);
    std::printf("thread %u texture fetch 16 %llx (%g, %g)\n", t, plane, x, y);
    std::printf("thread %u texture fetch 16 %llx (%u, %g, %g)\n", t, layers, t % 3, x, y);
    std::printf("thread %u texture fetch 16 %llx (%g, %g, -2.5)\n", t, volume, x, y);
    std::printf("thread %u surface load 4 %llx (%u, %u)\n", t, surface, t % 4 * 4, t / 16);
    if (t >= 40)
      std::printf("thread %u surface store 4 %llx (%u, 5)\n", t, surface, t % 4 * 4);
  }
}

__global__ void again(float *out, cudaTextureObject_t line) {
  const unsigned t = threadIdx.x;
  out[t] = tex1Dfetch<float>(line, static_cast<int>(t));
  if (blockIdx.x == 0)
    std::printf("thread %u texture fetch 16 %llx (%u)\n", t, line, t);
}

/// Of an array with so many texels along each side; 0: no such side.
cudaResourceDesc arrayOf(cudaChannelFormatDesc channel, size_t width, size_t height, size_t depth,
                         unsigned flags) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  CUDA(cudaMalloc3DArray(&resource.res.array.array, &channel, make_cudaExtent(width, height, depth), flags));
  return resource;
}

/// What the kernel gets.
void showObject(const char *kind, unsigned long long object, const cudaResourceDesc &resource) {
  if (resource.resType == cudaResourceTypeLinear) {
    const auto &linear = resource.res.linear;
    std::printf("object %s %llx linear %llx %c%d%s %zu 0 0\n", kind, object,
                reinterpret_cast<unsigned long long>(linear.devPtr),
                linear.desc.f == cudaChannelFormatKindFloat ? 'f' : 's', linear.desc.x,
                linear.desc.y ? "x2" : "", linear.sizeInBytes / (linear.desc.y ? 8 : 4));
    return;
  }
  cudaChannelFormatDesc channels;
  cudaExtent extent;
  CUDA(cudaArrayGetInfo(&channels, &extent, nullptr, resource.res.array.array));
  std::printf("object %s %llx array %llx %c%d %zu %zu %zu\n", kind, object,
              reinterpret_cast<unsigned long long>(resource.res.array.array),
              channels.f == cudaChannelFormatKindFloat ? 'f' : 's', channels.x, extent.width, extent.height,
              extent.depth);
}

cudaTextureObject_t textureOf(const cudaResourceDesc &resource) {
  cudaTextureDesc description = {};
  description.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture;
  CUDA(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  showObject("texture", texture, resource);
  return texture;
}

int main() {
  void *out;
  CUDA(cudaMalloc(&out, 8 * kThreads));
  CUDA(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 20));
  const auto show = [](const char *kernel) {
    std::printf("kernel %s\n", kernel);
    std::fflush(stdout);
  };
  const auto wait = [] {
    CUDA(cudaGetLastError());
    CUDA(cudaDeviceSynchronize());
  };
  show("staticOnes");
  staticOnes<<<2, kThreads>>>(static_cast<float *>(out));
  wait();
  show("others");
  others<<<2, kThreads, 8 * kThreads>>>(static_cast<double *>(out));
  wait();

  char *numbers; // a texture begins inside
  CUDA(cudaMalloc(&numbers, 512 + 8 * kThreads));
  CUDA(cudaMemset(numbers, 0, 512 + 8 * kThreads));
  cudaResourceDesc linear = {};
  linear.resType = cudaResourceTypeLinear;
  linear.res.linear = {numbers + 512, cudaCreateChannelDesc<float>(), 8 * kThreads};
  show("textures");
  cudaResourceDesc image = arrayOf(cudaCreateChannelDesc<int>(), 8, 8, 0, cudaArraySurfaceLoadStore);
  cudaSurfaceObject_t surface;
  CUDA(cudaCreateSurfaceObject(&surface, &image));
  showObject("surface", surface, image);
  const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
  const cudaTextureObject_t line = textureOf(linear);
  textures<<<2, kThreads>>>(static_cast<float *>(out), line, textureOf(arrayOf(floats, 8, 8, 0, 0)),
                            textureOf(arrayOf(floats, 8, 8, 3, cudaArrayLayered)),
                            textureOf(arrayOf(floats, 8, 8, 4, 0)), surface);
  wait();

  // What may get the same handle.
  CUDA(cudaDestroyTextureObject(line));
  show("again");
  linear.res.linear = {numbers, cudaCreateChannelDesc<float2>(), 8 * kThreads};
  again<<<2, kThreads>>>(static_cast<float *>(out), textureOf(linear));
  wait();
}
