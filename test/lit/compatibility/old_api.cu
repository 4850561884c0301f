// What CUDA 13 has no more, by cupr/old_api.h: texture references of all kinds on the CPU device, and what nvcc makes of the header.
// RUN: %cuprxx --device=both -arch=sm_80 --spaces=global,texture -include cupr/old_api.h -o %t %s
// RUN: env CUPR_DEVICE=cpu CUPR_TRACE=%t.cuprtrace %t | %filecheck %s
// RUN: %cupranalyze info %t.cuprtrace | %filecheck %s --check-prefix=TRACE
// TRACE: loads{{ +}}24 by threads, 384 B, in texture memory
#include <cstdio>

texture<float, 1, cudaReadModeElementType> linear;
texture<unsigned char, 1, cudaReadModeNormalizedFloat> shares;
static texture<int4> vectors;
texture<float, 2> image;

__global__ void fetch(float *out, unsigned offset) {
  out[threadIdx.x] = tex1Dfetch(linear, 3 - threadIdx.x) + tex1Dfetch(shares, threadIdx.x + offset) + tex1Dfetch(vectors, 0).w;
}
__global__ void sample(float *out) { out[threadIdx.x] = tex2D(image, threadIdx.x - 0.5f, 2.0f); }

void print(const char *title, const float *device) {
  float values[4];
  cudaMemcpy(values, device, sizeof values, cudaMemcpyDefault);
  std::printf("%s: %g %g %g %g\n", title, values[0], values[1], values[2], values[3]);
}

int main() {
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  // CHECK: overlap 1, name is there 1
  std::printf("overlap %d, name is there %d\n", properties.deviceOverlap, properties.name[0] != 0);

  const float floats[4] = {0, 10, 20, 30};
  const int4 ints = {1, 2, 3, 1000};
  unsigned char bytes[1000];
  for (int i = 0; i < 1000; ++i)
    bytes[i] = static_cast<unsigned char>(i * 51);
  float *deviceFloats, *out;
  unsigned char *deviceBytes;
  int4 *deviceInts;
  cudaMalloc(&deviceFloats, sizeof floats);
  cudaMalloc(&out, 16);
  cudaMalloc(&deviceBytes, sizeof bytes);
  cudaMalloc(&deviceInts, sizeof ints);
  cudaMemcpy(deviceFloats, floats, sizeof floats, cudaMemcpyDefault);
  cudaMemcpy(deviceBytes, bytes, sizeof bytes, cudaMemcpyDefault);
  cudaMemcpy(deviceInts, &ints, sizeof ints, cudaMemcpyDefault);

  cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
  size_t offset = 7;
  linear.filterMode = cudaFilterModePoint;
  linear.normalized = false;
  // CHECK-NEXT: no error
  // CHECK-NEXT: invalid argument
  // CHECK-NEXT: no error
  // CHECK-NEXT: no error
  std::puts(cudaGetErrorString(cudaBindTexture(nullptr, &linear, deviceFloats, &channels, sizeof floats)));
  std::puts(cudaGetErrorString(cudaBindTexture(nullptr, shares, deviceBytes + 3, 900))); // where no texture may begin
  std::puts(cudaGetErrorString(cudaBindTexture(&offset, shares, deviceBytes + 3, 900)));
  std::puts(cudaGetErrorString(cudaBindTexture(nullptr, vectors, deviceInts)));
  fetch<<<1, 4>>>(out, static_cast<unsigned>(offset));
  cudaThreadSynchronize();
  // CHECK-NEXT: offset 3: 1030.6 1020.8 1011 1000.2
  print(offset == 3 ? "offset 3" : "another offset", out);

  cudaArray_t array;
  float cells[16];
  for (int i = 0; i < 16; ++i)
    cells[i] = static_cast<float>(i);
  cudaMallocArray(&array, &channels, 4, 4);
  cudaMemcpy2DToArray(array, 0, 0, cells, 16, 16, 4, cudaMemcpyDefault);
  cudaBindTextureToArray(image, array, channels);
  sample<<<1, 4>>>(out);
  // CHECK-NEXT: point: 8 8 9 10
  print("point", out);
  image.filterMode = cudaFilterModeLinear;
  cudaBindTextureToArray(image, array);
  sample<<<1, 4>>>(out);
  // CHECK-NEXT: linear: 6 6 7 8
  print("linear", out);
  image.addressMode[0] = cudaAddressModeBorder;
  cudaBindTextureToArray(image, array);
  sample<<<1, 4>>>(out);
  // CHECK-NEXT: border: 0 6 7 8
  print("border", out);
  // CHECK-NEXT: no error
  std::puts(cudaGetErrorString(cudaUnbindTexture(image)));
}
