// Textures and surfaces: what the programming guide's formulas ("Texture Fetching") give for small images.
#include "check.h"
#include <vector>

constexpr int kMany = 16;

struct Values {
  float at[kMany];
};

template <class Read> __global__ void readAll(Values *out, Read read) {
  for (int i = 0; i < kMany; ++i)
    out->at[i] = read(i);
}

template <class Read> Values values(Read read) {
  Values *device, host;
  CUDA(cudaMalloc(&device, sizeof(Values)));
  readAll<<<1, 1>>>(device, read);
  CUDA(cudaMemcpy(&host, device, sizeof(Values), cudaMemcpyDeviceToHost));
  CUDA(cudaFree(device));
  return host;
}

template <class T> cudaArray_t arrayOf(const std::vector<T> &texels, size_t width, size_t height) {
  cudaArray_t array;
  const cudaChannelFormatDesc channels = cudaCreateChannelDesc<T>();
  CUDA(cudaMallocArray(&array, &channels, width, height, cudaArraySurfaceLoadStore));
  CUDA(cudaMemcpy2DToArray(array, 0, 0, texels.data(), width * sizeof(T), width * sizeof(T),
                           height ? height : 1, cudaMemcpyHostToDevice));
  return array;
}

cudaResourceDesc resourceOf(cudaArray_t array) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  return resource;
}

cudaTextureObject_t textureOf(cudaResourceDesc resource, cudaTextureAddressMode mode,
                              cudaTextureFilterMode filter, cudaTextureReadMode read, bool normalized) {
  cudaTextureDesc description = {};
  description.addressMode[0] = description.addressMode[1] = description.addressMode[2] = mode;
  description.filterMode = filter;
  description.readMode = read;
  description.normalizedCoords = normalized;
  cudaTextureObject_t texture;
  CUDA(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  return texture;
}

void expect(const char *what, const Values &found, std::initializer_list<float> expected) {
  int i = 0;
  for (float value : expected) {
    CHECK(near(found.at[i], value, 1e-6), "%s, value %d: %g, expected %g", what, i, found.at[i], value);
    ++i;
  }
}

/// One row of 4 texels: 10, 20, 30, 40.
void oneDimension() {
  const cudaResourceDesc row = resourceOf(arrayOf<float>({10, 20, 30, 40}, 4, 0));
  const auto at = [&](cudaTextureAddressMode mode, cudaTextureFilterMode filter, bool normalized) {
    return textureOf(row, mode, filter, cudaReadModeElementType, normalized);
  };
  cudaTextureObject_t t = at(cudaAddressModeClamp, cudaFilterModePoint, false);
  expect("nearest", values([t] __device__(int i) { return tex1D<float>(t, i - 1.5f); }),
         {10, 10, 10, 20, 30, 40, 40});
  t = at(cudaAddressModeClamp, cudaFilterModeLinear, false);
  expect("linear", values([t] __device__(int i) { return tex1D<float>(t, i * 0.25f); }),
         {10, 10, 10, 12.5f, 15, 17.5f, 20, 22.5f});
  t = at(cudaAddressModeBorder, cudaFilterModePoint, false);
  expect("border", values([t] __device__(int i) { return tex1D<float>(t, i - 0.5f); }),
         {0, 10, 20, 30, 40, 0});
  t = at(cudaAddressModeWrap, cudaFilterModePoint, true);
  expect("wrap", values([t] __device__(int i) { return tex1D<float>(t, (i - 1) * 0.25f + 0.125f); }),
         {40, 10, 20, 30, 40, 10});
  t = at(cudaAddressModeMirror, cudaFilterModePoint, true);
  expect("mirror", values([t] __device__(int i) { return tex1D<float>(t, (i - 1) * 0.25f + 0.125f); }),
         {10, 10, 20, 30, 40, 40, 30, 20, 10});
}

/// 3 x 2 texels of four bytes.
void twoDimensions() {
  std::vector<uchar4> texels;
  for (unsigned char y = 0; y < 2; ++y)
    for (unsigned char x = 0; x < 3; ++x)
      texels.push_back(make_uchar4(51 * x, 51 * y, 255, 0));
  cudaArray_t array = arrayOf(texels, 3, 2);
  cudaTextureObject_t t =
      textureOf(resourceOf(array), cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeElementType, false);
  expect("bytes", values([t] __device__(int i) {
           const uchar4 texel = tex2D<uchar4>(t, i % 3 + 0.5f, i / 3 + 0.5f);
           return float(texel.x + 2 * texel.y + texel.z + texel.w);
         }),
         {255, 306, 357, 357, 408, 459});
  t = textureOf(resourceOf(array), cudaAddressModeClamp, cudaFilterModeLinear, cudaReadModeNormalizedFloat,
                true);
  expect("middle of the image", values([t] __device__(int i) {
           const float4 texel = tex2D<float4>(t, 0.5f, 0.5f);
           return i == 0 ? texel.x : i == 1 ? texel.y : i == 2 ? texel.z : texel.w;
         }),
         {0.2f, 0.1f, 1, 0});
  unsigned char back[12];
  CUDA(cudaMemcpy2DFromArray(back, 6, array, 4, 0, 6, 2, cudaMemcpyDeviceToHost));
  CHECK(back[0] == 51 && back[1] == 0 && back[4] == 102 && back[6] == 51 && back[7] == 51, "%d %d", back[0],
        back[6]);
}

void linearMemory() {
  int *memory;
  CUDA(cudaMalloc(&memory, 4 * sizeof(int)));
  const int numbers[] = {-5, 6, 7, 8};
  CUDA(cudaMemcpy(memory, numbers, sizeof numbers, cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = memory;
  resource.res.linear.desc = cudaCreateChannelDesc<int>();
  resource.res.linear.sizeInBytes = sizeof numbers;
  const cudaTextureObject_t t =
      textureOf(resource, cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeElementType, false);
  expect("tex1Dfetch", values([t] __device__(int i) { return float(tex1Dfetch<int>(t, i - 1)); }),
         {0, -5, 6, 7, 8, 0});
}

/// 2 x 2 x 2 texels, 1 to 8, as a volume and as layers.
void volumesAndLayers(unsigned flags) {
  const cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  CUDA(cudaMalloc3DArray(&array, &channels, make_cudaExtent(2, 2, 2), flags));
  float texels[] = {1, 2, 3, 4, 5, 6, 7, 8};
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(texels, 2 * sizeof(float), 2, 2);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(2, 2, 2);
  copy.kind = cudaMemcpyHostToDevice;
  CUDA(cudaMemcpy3D(&copy));
  const cudaTextureObject_t t = textureOf(resourceOf(array), cudaAddressModeClamp, cudaFilterModeLinear,
                                          cudaReadModeElementType, false);
  if (flags & cudaArrayLayered)
    expect("layers", values([t] __device__(int i) { return tex2DLayered<float>(t, 1, 1, i); }),
           {2.5f, 6.5f, 6.5f});
  else
    expect("volume", values([t] __device__(int i) { return tex3D<float>(t, 1, 1, 0.5f * i); }),
           {2.5f, 2.5f, 4.5f, 6.5f});
}

void surfaces() {
  cudaArray_t array = arrayOf<float2>(std::vector<float2>(6), 3, 2);
  const cudaResourceDesc resource = resourceOf(array);
  cudaSurfaceObject_t s;
  CUDA(cudaCreateSurfaceObject(&s, &resource));
  values([s] __device__(int i) {
    surf2Dwrite(make_float2(float(i), float(-i)), s, i % 4 * 8, i / 4,
                cudaBoundaryModeZero); // 4th column, 3rd row: outside
    return 0.0f;
  });
  expect("surface", values([s] __device__(int i) {
           const float2 texel = surf2Dread<float2>(s, i % 4 * 8, i / 4, cudaBoundaryModeZero);
           return texel.x - texel.y;
         }),
         {0, 2, 4, 0, 8, 10, 12, 0, 0, 0, 0, 0});
  expect("clamped", values([s] __device__(int i) {
           return surf2Dread<float2>(s, i * 8 - 8, 5, cudaBoundaryModeClamp).x;
         }),
         {4, 4, 5, 6, 6});
}

// Intrinsics of LLVM.
extern "C" __device__ int surfaceLoad(cudaSurfaceObject_t, int, int) __asm("llvm.nvvm.suld.2d.i32.zero");
extern "C" __device__ void surfaceStore(cudaSurfaceObject_t, int, int,
                                        int) __asm("llvm.nvvm.sust.b.2d.i32.zero");
/// By row and layer.
extern "C" __device__ short layerLoad(cudaSurfaceObject_t, int layer, int,
                                      int) __asm("llvm.nvvm.suld.2d.array.i8.clamp");

__global__ void reduce(cudaSurfaceObject_t s) {
  const int i = static_cast<int>(threadIdx.x);
#define REDUCE(operation, type, x, value)                                                                    \
  asm volatile("sured.b." #operation ".2d." #type ".zero [%0, {%1, %2}], %3;" ::"l"(s), "r"(4 * (x)),        \
               "r"(1), "r"(value))
  REDUCE(add, u32, 0, i);
  REDUCE(min, s32, 1, i - 40);
  REDUCE(min, u32, 2, i - 40);
  REDUCE(max, s32, 3, i - 40);
  REDUCE(and, b32, 4, ~(1 << i % 8));
  REDUCE(or, b32, 5, 1 << i % 8);
  REDUCE(add, u32, 99, 1); // outside
}

void reductions() {
  const std::vector<int> texels = {0, 0, 0, 0, 0, 0, 5, 0, -1, -50, 0xfff, 0};
  const cudaResourceDesc resource = resourceOf(arrayOf(texels, 6, 2));
  cudaSurfaceObject_t s;
  CUDA(cudaCreateSurfaceObject(&s, &resource));
  reduce<<<1, 64>>>(s);
  expect("reductions", values([s] __device__(int i) {
           return i < 6 ? float(surfaceLoad(s, 4 * i, 1)) : float(surfaceLoad(s, 4 * (i - 6), 0));
         }),
         {5 + 63 * 32, -40, 0, 23, 0xf00, 255, 0, 0, 0, 0, 0, 0});
}

void intrinsics() {
  const cudaResourceDesc resource = resourceOf(arrayOf(std::vector<int>(4), 2, 2));
  cudaSurfaceObject_t s;
  CUDA(cudaCreateSurfaceObject(&s, &resource));
  values([s] __device__(int i) {
    surfaceStore(s, i % 4 * 4, i / 4, i + 1); // 3rd column, 3rd row: outside
    return 0.0f;
  });
  expect("intrinsics", values([s] __device__(int i) { return float(surfaceLoad(s, i % 4 * 4, i / 4)); }),
         {1, 2, 0, 0, 5, 6, 0, 0, 0});
  const cudaChannelFormatDesc channels = cudaCreateChannelDesc<unsigned char>();
  cudaArray_t layers;
  CUDA(cudaMalloc3DArray(&layers, &channels, make_cudaExtent(2, 1, 3),
                         cudaArrayLayered | cudaArraySurfaceLoadStore));
  unsigned char texels[] = {1, 2, 3, 4, 5, 6};
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(texels, 2, 2, 1);
  copy.dstArray = layers;
  copy.extent = make_cudaExtent(2, 1, 3);
  copy.kind = cudaMemcpyHostToDevice;
  CUDA(cudaMemcpy3D(&copy));
  const cudaResourceDesc layered = resourceOf(layers);
  CUDA(cudaCreateSurfaceObject(&s, &layered));
  expect("layers of intrinsics",
         values([s] __device__(int i) { return float(layerLoad(s, i / 2, i % 2, 0) & 255); }),
         {1, 2, 3, 4, 5, 6});
}

int main() {
  oneDimension();
  twoDimensions();
  linearMemory();
  volumesAndLayers(0);
  volumesAndLayers(cudaArrayLayered);
  surfaces();
  reductions();
  intrinsics();
  const cudaResourceDesc integers = resourceOf(arrayOf<int>({1, 2}, 2, 0));
  cudaTextureDesc linear = {};
  linear.filterMode = cudaFilterModeLinear;
  cudaTextureObject_t t;
  CHECK(cudaCreateTextureObject(&t, &integers, &linear, nullptr) != cudaSuccess,
        "integers can't be interpolated");
  std::puts("ok");
}
