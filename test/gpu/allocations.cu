/// Every call that allocates, of the runtime and of the driver, made once and freed once; and a library with a runtime of its own, which is
/// loaded while the program runs. `LISTED call kind name type bytes` says what the trace must have of the call that follows (allocations.py); `-` is an
/// empty text.
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <cuda_runtime.h>
#include <dlfcn.h>

static void must(int result, const char *call, int line) {
  if (result != 0) {
    fprintf(stderr, "line %d: %s: error %d\n", line, call, result);
    exit(1);
  }
}
#define MUST(call) must(static_cast<int>(call), #call, __LINE__)

struct Particle {
  float x[3];
};
// LISTED __device__ symbol counter int 16
__device__ int counter[4];
// LISTED __constant__ symbol steps short 8
__constant__ short steps[4];
// LISTED __managed__ managed shared Particle 24
__managed__ Particle shared[2];
/// Host code doesn't name it, so that no object registers it.
// LISTED __device__ symbol scratch<int> int 32
template <class T> __device__ T scratch[8];
__global__ void touch(int *p) {
  p[threadIdx.x] = counter[threadIdx.x % 4] + steps[threadIdx.x % 4] +
                   static_cast<int>(shared[threadIdx.x % 2].x[0]) + scratch<int>[threadIdx.x % 8];
}

static void runtimeCalls() {
  float *x, *pitched, *async, *pooled;
  Particle *particles;
  double *pinned, *mapped;
  static char registered[4096];
  // LISTED cudaMalloc device x float 1200
  MUST(cudaMalloc(&x, 1200));
  // LISTED cudaMallocManaged managed particles Particle 1201
  MUST(cudaMallocManaged(&particles, 1201));
  // LISTED cudaMallocHost host pinned double 1202
  MUST(cudaMallocHost((void **)&pinned, 1202));
  // LISTED cudaHostAlloc host mapped double 1203
  MUST(cudaHostAlloc(&mapped, 1203, 0));
  // LISTED cudaHostRegister host registered char 4096
  MUST(cudaHostRegister(registered, 4096, 0));
  size_t pitch;
  // LISTED cudaMallocPitch pitched pitched float 2048
  MUST(cudaMallocPitch(&pitched, &pitch, 512, 4));
  cudaPitchedPtr volume;
  // LISTED cudaMalloc3D pitched volume - 3072
  MUST(cudaMalloc3D(&volume, make_cudaExtent(512, 2, 3)));
  cudaStream_t stream;
  MUST(cudaStreamCreate(&stream));
  // LISTED cudaMallocAsync pool async float 1204
  MUST(cudaMallocAsync(&async, 1204, stream));
  cudaMemPool_t pool;
  MUST(cudaDeviceGetDefaultMemPool(&pool, 0));
  // LISTED cudaMallocFromPoolAsync pool pooled float 1205
  MUST(cudaMallocFromPoolAsync(&pooled, 1205, pool, stream));
  cudaChannelFormatDesc channels = cudaCreateChannelDesc<float2>();
  cudaArray_t array, cube;
  cudaMipmappedArray_t levels;
  // LISTED cudaMallocArray array array - 512
  MUST(cudaMallocArray(&array, &channels, 16, 4));
  // LISTED cudaMalloc3DArray array cube - 512
  MUST(cudaMalloc3DArray(&cube, &channels, make_cudaExtent(4, 4, 4)));
  // LISTED cudaMallocMipmappedArray array levels - 680
  MUST(cudaMallocMipmappedArray(&levels, &channels, make_cudaExtent(8, 8, 0), 4));
  int *ints;
  // LISTED cudaMalloc device ints int 1206
  if (cudaMalloc(&ints, 1206) != cudaSuccess)
    exit(1);
  touch<<<1, 32>>>(ints);
  MUST(cudaDeviceSynchronize());
  MUST(cudaFree(x)), MUST(cudaFree(particles)), MUST(cudaFreeHost(pinned)), MUST(cudaFreeHost(mapped));
  MUST(cudaHostUnregister(registered)), MUST(cudaFree(pitched)), MUST(cudaFree(volume.ptr));
  MUST(cudaFreeAsync(async, stream)), MUST(cudaFreeAsync(pooled, stream)),
      MUST(cudaStreamSynchronize(stream));
  MUST(cudaFreeArray(array)), MUST(cudaFreeArray(cube)), MUST(cudaFreeMipmappedArray(levels)),
      MUST(cudaFree(ints));
}

static void driverCalls() {
  CUdeviceptr linear, pitched, managed, async, pooled, reserved;
  // LISTED cuMemAlloc device linear - 1300
  MUST(cuMemAlloc(&linear, 1300));
  size_t pitch;
  // LISTED cuMemAllocPitch pitched pitched - 2048
  MUST(cuMemAllocPitch(&pitched, &pitch, 512, 4, 4));
  // LISTED cuMemAllocManaged managed managed - 1301
  MUST(cuMemAllocManaged(&managed, 1301, CU_MEM_ATTACH_GLOBAL));
  float *pinned, *mapped;
  // LISTED cuMemAllocHost host pinned float 1302
  MUST(cuMemAllocHost((void **)&pinned, 1302));
  // LISTED cuMemHostAlloc host mapped float 1303
  MUST(cuMemHostAlloc((void **)&mapped, 1303, 0));
  static short registered[2048];
  // LISTED cuMemHostRegister host registered short 4096
  MUST(cuMemHostRegister(registered, 4096, 0));
  // LISTED cuMemAllocAsync pool async - 1304
  MUST(cuMemAllocAsync(&async, 1304, nullptr));
  CUmemoryPool pool;
  MUST(cuDeviceGetDefaultMemPool(&pool, 0));
  // LISTED cuMemAllocFromPoolAsync pool pooled - 1305
  MUST(cuMemAllocFromPoolAsync(&pooled, 1305, pool, nullptr));
  CUDA_ARRAY_DESCRIPTOR flat = {16, 4, CU_AD_FORMAT_FLOAT, 2};
  CUDA_ARRAY3D_DESCRIPTOR cubic = {4, 4, 4, CU_AD_FORMAT_HALF, 4, 0},
                          levelled = {8, 8, 0, CU_AD_FORMAT_FLOAT, 2, 0};
  CUarray array, cube;
  CUmipmappedArray levels;
  // LISTED cuArrayCreate array array - 512
  MUST(cuArrayCreate(&array, &flat));
  // LISTED cuArray3DCreate array cube - 512
  MUST(cuArray3DCreate(&cube, &cubic));
  // LISTED cuMipmappedArrayCreate array levels - 680
  MUST(cuMipmappedArrayCreate(&levels, &levelled, 4));
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  size_t granularity;
  MUST(cuMemGetAllocationGranularity(&granularity, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  CUmemGenericAllocationHandle block;
  MUST(cuMemCreate(&block, granularity, &properties, 0));
  MUST(cuMemAddressReserve(&reserved, 2 * granularity, 0, 0, 0));
  // LISTED cuMemMap device reserved - 2097152
  MUST(cuMemMap(reserved, granularity, 0, block, 0));
  CUmemAccessDesc access = {properties.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  MUST(cuMemSetAccess(reserved, granularity, &access, 1));
  touch<<<1, 32>>>(reinterpret_cast<int *>(reserved));
  MUST(cudaDeviceSynchronize());
  MUST(cuMemUnmap(reserved, granularity)), MUST(cuMemAddressFree(reserved, 2 * granularity)),
      MUST(cuMemRelease(block));
  MUST(cuMemFree(linear)), MUST(cuMemFree(pitched)), MUST(cuMemFree(managed)), MUST(cuMemFreeHost(pinned));
  MUST(cuMemFreeHost(mapped)), MUST(cuMemHostUnregister(registered)), MUST(cuMemFreeAsync(async, nullptr));
  MUST(cuMemFreeAsync(pooled, nullptr)), MUST(cudaDeviceSynchronize()), MUST(cuArrayDestroy(array)),
      MUST(cuArrayDestroy(cube));
  MUST(cuMipmappedArrayDestroy(levels));
}

/// The library's calls have no place in the source.
int main(int argc, char **argv) {
  MUST(cudaFree(nullptr));
  runtimeCalls();
  driverCalls();
  if (argc < 2)
    return 0;
  void *const library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  MUST(reinterpret_cast<int (*)()>(dlsym(library, "allocate"))());
}
