/// Two kernels per step: every body is accelerated by all others, then every body moves.
///
/// They can't be one: a block that had moved its bodies would pull those of blocks that start later from the
/// wrong place, and nothing but the end of a kernel says that all have looked.
#include "bodies.h"

#include <cstdio>
#include <initializer_list>

static constexpr int kBlock = 32;

/// Changes velocities only. Blocks take the positions of all bodies through shared memory, kBlock at a time.
__global__ void accelerate(Bodies bodies, int count) {
  __shared__ float4 tile[kBlock]; // position and mass
  const int self = blockIdx.x * kBlock + threadIdx.x;
  const bool real = self < count;
  const float x = real ? bodies.x[self] : 0, y = real ? bodies.y[self] : 0, z = real ? bodies.z[self] : 0;
  float ax = 0, ay = 0, az = 0;
  for (int first = 0; first < count; first += kBlock) {
    const int other = first + threadIdx.x;
    tile[threadIdx.x] =
        other < count ? make_float4(bodies.x[other], bodies.y[other], bodies.z[other], bodies.mass[other])
                      : make_float4(0, 0, 0, 0);
    __syncthreads();
    for (const float4 &body : tile) {
      const float dx = body.x - x, dy = body.y - y, dz = body.z - z;
      const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + kSoftening);
      const float pull = body.w * inverse * inverse * inverse;
      ax += pull * dx;
      ay += pull * dy;
      az += pull * dz;
    }
    __syncthreads();
  }
  if (real) {
    bodies.vx[self] += kTimeStep * ax;
    bodies.vy[self] += kTimeStep * ay;
    bodies.vz[self] += kTimeStep * az;
  }
}

/// Changes positions only; each thread looks at its own body.
__global__ void move(Bodies bodies, int count) {
  const int self = blockIdx.x * kBlock + threadIdx.x;
  if (self >= count)
    return;
  bodies.x[self] += kTimeStep * bodies.vx[self];
  bodies.y[self] += kTimeStep * bodies.vy[self];
  bodies.z[self] += kTimeStep * bodies.vz[self];
}

static bool succeeded(cudaError_t status, const char *what) {
  if (status != cudaSuccess)
    std::fprintf(stderr, "nbody: %s: %s\n", what, cudaGetErrorString(status));
  return status == cudaSuccess;
}

bool simulateOnDevice(HostBodies &host, int steps) {
  const int count = static_cast<int>(host.mass.size());
  const size_t bytes = sizeof(float) * count;
  Bodies bodies{};
  float *mass = nullptr;
  struct Quantity {
    float **device;
    std::vector<float> *host;
  };
  const Quantity quantities[] = {{&bodies.x, &host.x},   {&bodies.y, &host.y},   {&bodies.z, &host.z},
                                 {&bodies.vx, &host.vx}, {&bodies.vy, &host.vy}, {&bodies.vz, &host.vz},
                                 {&mass, &host.mass}};
  bool good = true;
  for (const Quantity &quantity : quantities)
    good = good && succeeded(cudaMalloc(quantity.device, bytes), "cudaMalloc") &&
           succeeded(cudaMemcpy(*quantity.device, quantity.host->data(), bytes, cudaMemcpyHostToDevice),
                     "copying to the device");
  bodies.mass = mass;

  const int grid = (count + kBlock - 1) / kBlock;
  for (int step = 0; good && step < steps; ++step) {
    accelerate<<<grid, kBlock>>>(bodies, count);
    move<<<grid, kBlock>>>(bodies, count);
    good = succeeded(cudaGetLastError(), "launching a step");
  }

  for (const Quantity &quantity : quantities) {
    good =
        good && succeeded(cudaMemcpy(quantity.host->data(), *quantity.device, bytes, cudaMemcpyDeviceToHost),
                          "copying from the device");
    cudaFree(*quantity.device);
  }
  return good;
}
