// Texture and surface objects compile for the GPU. The CPU device says which instruction it lacks, when it is
// built and, if a kernel gets there, when it runs. What CUDA 13 has no more is a clear message.
// RUN: %cuprxx --device=both -arch=sm_90 -o %t %s 2>&1 | %filecheck %s --check-prefix=BUILD
// RUN: env CUPR_TRACE=off %t 0 2>&1 | %filecheck %s --check-prefix=ELSEWHERE
// RUN: env CUPR_TRACE=off %t 1 2>&1 | %filecheck %s --check-prefix=FETCH
// RUN: not %cuprxx --device=gpu -DREFERENCES -c -o %t.o %s 2>&1 | %filecheck %s --check-prefix=GONE
#ifdef REFERENCES
// GONE: error: "CUDA 13 has no texture and surface references: drop this include, and use texture objects
#include <texture_fetch_functions.h>
#endif
#include <cstdio>
#include <cstdlib>

// BUILD: the CPU device does not know the inline PTX "tex.2d{{.*}}; a kernel that gets there fails
// BUILD-NOT: error
__global__ void kernel(float *out, cudaTextureObject_t texture, cudaSurfaceObject_t surface, int which) {
  out[0] = 7;
  if (which == 1)
    out[0] = tex2D<float>(texture, 1, 2);
  if (which == 2)
    out[0] = tex1Dfetch<float4>(texture, 3).x + tex3D<float>(texture, 1, 2, 3) + tex2DLod<float>(texture, 1, 2, 3) +
             tex2DLayered<uchar4>(texture, 1, 2, 3).x + texCubemap<float>(texture, 1, 2, 3);
  if (which == 3) {
    surf2Dwrite(1.0f, surface, 4, 1);
    out[0] = surf2Dread<float>(surface, 4, 1);
  }
}

int main(int, char **arguments) {
  float *out;
  cudaMallocManaged(&out, sizeof *out);
  kernel<<<1, 1>>>(out, 0, 0, std::atoi(arguments[1]));
  const cudaError_t status = cudaDeviceSynchronize();
  // ELSEWHERE: no error 7
  // FETCH: cuprewrite: CPU device: kernel {{.*}}: the CPU device can't run inline PTX "tex.2d
  // FETCH: unspecified launch failure 7
  std::printf("%s %g\n", cudaGetErrorString(status), *out);
}
