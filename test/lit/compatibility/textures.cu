// Texture and surface objects, in all forms, on both devices. What CUDA 13 has no more is a clear message.
// RUN: %cuprxx --device=both -arch=sm_90 -o %t %s && env CUPR_TRACE=off %t | %filecheck %s
// RUN: not %cuprxx --device=gpu -DREFERENCES -c -o %t.o %s 2>&1 | %filecheck %s --check-prefix=GONE
#ifdef REFERENCES
// GONE: error: "CUDA 13 has no texture and surface references: drop this include, and use texture objects
#include <texture_fetch_functions.h>
#endif
#include <cstdio>

__global__ void kernel(float *out, cudaTextureObject_t texture, cudaSurfaceObject_t surface, int which) {
  if (which == 0)
    out[threadIdx.x] = tex1Dfetch<float>(texture, 3 - threadIdx.x);
  if (which == 1)
    out[0] = tex2D<float>(texture, 1, 2) + tex3D<float>(texture, 1, 2, 3) + tex2DLod<float>(texture, 1, 2, 3) +
             tex2DLayered<uchar4>(texture, 1, 2, 3).x + texCubemap<float>(texture, 1, 2, 3);
  if (which == 2) {
    surf2Dwrite(1.0f, surface, 4, 1);
    out[0] = surf2Dread<float>(surface, 4, 1);
  }
}

int main() {
  float *in, *out;
  cudaMallocManaged(&in, 4 * sizeof *in);
  cudaMallocManaged(&out, 4 * sizeof *out);
  for (int i = 0; i < 4; ++i)
    in[i] = 10.0f * i;
  cudaResourceDesc memory = {};
  memory.resType = cudaResourceTypeLinear;
  memory.res.linear.devPtr = in;
  memory.res.linear.desc = cudaCreateChannelDesc<float>();
  memory.res.linear.sizeInBytes = 4 * sizeof *in;
  const cudaTextureDesc description = {};
  cudaTextureObject_t texture = 0;
  if (cudaCreateTextureObject(&texture, &memory, &description, nullptr) != cudaSuccess)
    return 1;
  kernel<<<1, 4>>>(out, texture, 0, 0);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 1;
  // CHECK: 30 20 10 0
  std::printf("%g %g %g %g\n", out[0], out[1], out[2], out[3]);
}
