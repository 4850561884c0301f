/// The rays: one thread for each pixel, which takes a sample of every voxel on its way.
#include "volume.h"

#include <algorithm>
#include <cstdio>

/// How voxels are read: through a texture, whose memory is laid out in bricks, or as bytes of read-only memory, row by row.
struct TextureVolume {
  cudaTextureObject_t texture;

  __device__ unsigned char at(int x, int y, int z, int) const {
    return tex3D<unsigned char>(texture, static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f,
                                static_cast<float>(z) + 0.5f);
  }
};
struct GlobalVolume {
  const unsigned char *voxels;

  __device__ unsigned char at(int x, int y, int z, int size) const {
    return __ldg(&voxels[(static_cast<std::int64_t>(z) * size + y) * size + x]);
  }
};

template <class Volume> __device__ std::uint32_t gather(const Volume &volume, const View &view, int column, int row) {
  Place place = behind(behind(view.corner, view.right, column), view.down, row);
  Light light = kDark;
  for (int sample = 0; sample < view.size && !light.isFull(); ++sample) {
    if (isInside(place, view.size))
      light.add(volume.at(place.x >> kFraction, place.y >> kFraction, place.z >> kFraction, view.size));
    place = behind(place, view.ahead, 1);
  }
  return light.brightness;
}

__global__ void renderTexture(std::uint32_t *picture, TextureVolume volume, View view) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column < view.size && row < view.size)
    picture[row * view.size + column] = gather(volume, view, column, row);
}

__global__ void renderGlobal(std::uint32_t *picture, GlobalVolume volume, View view) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column < view.size && row < view.size)
    picture[row * view.size + column] = gather(volume, view, column, row);
}

__global__ void makeVolume(unsigned char *voxels, int size) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z;
  if (x < size)
    voxels[(static_cast<std::int64_t>(z) * size + y) * size + x] = voxelAt(x, y, z, size);
}

static bool succeeded(cudaError_t status, const char *what) {
  if (status != cudaSuccess)
    std::fprintf(stderr, "volume: %s: %s\n", what, cudaGetErrorString(status));
  return status == cudaSuccess;
}

/// A texture of the voxels, which are copied into an array.
static bool bindTexture(const unsigned char *voxels, int size, cudaArray_t &array, cudaTextureObject_t &texture) {
  const auto edge = static_cast<size_t>(size);
  const cudaExtent extent = make_cudaExtent(edge, edge, edge);
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned char>();
  if (!succeeded(cudaMalloc3DArray(&array, &format, extent), "cudaMalloc3DArray of the volume"))
    return false;
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(const_cast<unsigned char *>(voxels), edge, edge, edge);
  copy.dstArray = array;
  copy.extent = extent;
  copy.kind = cudaMemcpyDeviceToDevice;
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description = {};
  description.readMode = cudaReadModeElementType;
  for (cudaTextureAddressMode &mode : description.addressMode)
    mode = cudaAddressModeClamp;
  return succeeded(cudaMemcpy3D(&copy), "copying the volume") &&
         succeeded(cudaCreateTextureObject(&texture, &resource, &description, nullptr), "cudaCreateTextureObject");
}

Frames render(const View &view, Memory memory, Shape shape, int frames) {
  const auto edge = static_cast<size_t>(view.size);
  Frames result;
  result.picture.resize(edge * edge);
  const size_t bytes = sizeof(std::uint32_t) * result.picture.size();
  std::uint32_t *picture = nullptr;
  unsigned char *voxels = nullptr;
  cudaArray_t array = nullptr;
  cudaTextureObject_t texture = 0;
  cudaEvent_t begin = nullptr, end = nullptr;
  bool good = succeeded(cudaMalloc(&picture, bytes), "cudaMalloc of the picture") &&
              succeeded(cudaMalloc(&voxels, edge * edge * edge), "cudaMalloc of the volume") &&
              succeeded(cudaEventCreate(&begin), "cudaEventCreate") && succeeded(cudaEventCreate(&end), "cudaEventCreate");
  if (good) {
    makeVolume<<<dim3((view.size + 127) / 128, view.size, view.size), 128>>>(voxels, view.size);
    good = succeeded(cudaGetLastError(), "launching makeVolume") &&
           (memory == Memory::Global || bindTexture(voxels, view.size, array, texture));
  }
  const dim3 block(shape.width, shape.height);
  const dim3 grid((view.size + shape.width - 1) / shape.width, (view.size + shape.height - 1) / shape.height);
  for (int frame = 0; good && frame < frames; ++frame) {
    float milliseconds = 0;
    cudaEventRecord(begin);
    if (memory == Memory::Texture)
      renderTexture<<<grid, block>>>(picture, TextureVolume{texture}, view);
    else
      renderGlobal<<<grid, block>>>(picture, GlobalVolume{voxels}, view);
    good = succeeded(cudaGetLastError(), "launching a frame") && succeeded(cudaEventRecord(end), "cudaEventRecord") &&
           succeeded(cudaEventSynchronize(end), "drawing a frame") &&
           succeeded(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
    result.milliseconds = frame == 0 ? milliseconds : std::min(result.milliseconds, milliseconds);
  }
  if (!good || !succeeded(cudaMemcpy(result.picture.data(), picture, bytes, cudaMemcpyDeviceToHost), "copying the picture"))
    result.picture.clear();
  if (texture)
    cudaDestroyTextureObject(texture);
  if (array)
    cudaFreeArray(array);
  cudaEventDestroy(end);
  cudaEventDestroy(begin);
  cudaFree(voxels);
  cudaFree(picture);
  return result;
}
