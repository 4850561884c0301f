#include "check.h"
#include <vector>

__device__ float3 pull(float4 a, float4 b, float3 sum) {
  const float dx = b.x - a.x, dy = b.y - a.y, dz = b.z - a.z;
  const float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
  const float s = b.w * r * r * r;
  sum.x += dx * s;
  sum.y += dy * s;
  sum.z += dz * s;
  return sum;
}

__global__ void nbody(const float4 *bodies, float3 *force, int n) {
  extern __shared__ float4 tile[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 me = bodies[i];
  float3 sum = {0, 0, 0};
  for (int t = 0; t < n; t += blockDim.x) {
    tile[threadIdx.x] = bodies[t + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < blockDim.x; ++k)
      sum = pull(me, tile[k], sum);
    __syncthreads();
  }
  force[i] = sum;
}

// Device math against the host's.
__global__ void math(const double *in, double *out, int n) {
  const int i = threadIdx.x;
  if (i >= n)
    return;
  const double x = in[i];
  const float f = (float)x;
  double *o = out + i * 24;
  o[0] = sqrt(x);
  o[1] = exp(x);
  o[2] = log(x);
  o[3] = sin(x);
  o[4] = cos(x);
  o[5] = pow(x, 1.7);
  o[6] = sqrtf(f);
  o[7] = expf(f);
  o[8] = logf(f);
  o[9] = sinf(f);
  o[10] = __sinf(f);
  o[11] = __expf(f);
  o[12] = __logf(f);
  o[13] = __fdividef(f, 3.0f);
  o[14] = fmaf(f, f, 1.0f);
  o[15] = __double2int_rn(x);
  o[16] = __float2int_rd(f);
  o[17] = __saturatef(f);
  o[18] = floor(x) + ceil(x) + trunc(x) + rint(x);
  o[19] = tanh(x) + atan2(x, 2.0) + cbrt(x);
  o[20] = powf(f, 2.5f);
  o[21] = fmin(x, 1.0) + fmax(f, 1.0f);
  o[22] = erf(x) + lgamma(x);
  o[23] = __frcp_rn(f) + __fsqrt_rn(f) + rsqrt(x);
}

int main() {
  const int n = 256;
  std::vector<float4> bodies(n);
  std::vector<float3> force(n);
  for (int i = 0; i < n; ++i)
    bodies[i] = make_float4((i * 37) % 101, (i * 53) % 97, (i * 71) % 89, 1 + i % 3);
  float4 *db;
  float3 *df;
  CUDA(cudaMalloc(&db, n * sizeof(float4)));
  CUDA(cudaMalloc(&df, n * sizeof(float3)));
  CUDA(cudaMemcpy(db, bodies.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
  nbody<<<n / 64, 64, 64 * sizeof(float4)>>>(db, df, n);
  CUDA(cudaMemcpy(force.data(), df, n * sizeof(float3), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) {
    double x = 0, y = 0, z = 0;
    for (int k = 0; k < n; ++k) {
      const double dx = bodies[k].x - bodies[i].x, dy = bodies[k].y - bodies[i].y, dz = bodies[k].z - bodies[i].z;
      const double r = 1 / std::sqrt(dx * dx + dy * dy + dz * dz + 0.01);
      const double s = bodies[k].w * r * r * r;
      x += dx * s;
      y += dy * s;
      z += dz * s;
    }
    CHECK(near(x, force[i].x, 1e-3) && near(y, force[i].y, 1e-3) && near(z, force[i].z, 1e-3), "%d", i);
  }

  const double values[] = {0.5, 1.0, 1.5, 2.25, 3.75, 0.001, 9.5};
  const int count = sizeof values / sizeof *values;
  double *in, *out, o[count * 24];
  CUDA(cudaMalloc(&in, sizeof values));
  CUDA(cudaMalloc(&out, sizeof o));
  CUDA(cudaMemcpy(in, values, sizeof values, cudaMemcpyHostToDevice));
  math<<<1, 32>>>(in, out, count);
  CUDA(cudaMemcpy(o, out, sizeof o, cudaMemcpyDeviceToHost));
  for (int i = 0; i < count; ++i) {
    const double x = values[i];
    const float f = (float)x;
    const double expected[] = {std::sqrt(x),
                               std::exp(x),
                               std::log(x),
                               std::sin(x),
                               std::cos(x),
                               std::pow(x, 1.7),
                               std::sqrt(f),
                               std::exp(f),
                               std::log(f),
                               std::sin(f),
                               std::sin(f),
                               std::exp(f),
                               std::log(f),
                               f / 3.0f,
                               f * f + 1.0f,
                               std::nearbyint(x),
                               std::floor(f),
                               f < 1 ? f : 1.0f,
                               std::floor(x) + std::ceil(x) + std::trunc(x) + std::rint(x),
                               std::tanh(x) + std::atan2(x, 2.0) + std::cbrt(x),
                               std::pow(f, 2.5f),
                               std::fmin(x, 1.0) + std::fmax(f, 1.0f),
                               std::erf(x) + std::lgamma(x),
                               1 / f + std::sqrt(f) + 1 / std::sqrt(x)};
    for (int k = 0; k < 24; ++k)
      CHECK(near(o[i * 24 + k], expected[k]), "value %g, function %d: %.17g, not %.17g", x, k, o[i * 24 + k],
            expected[k]);
  }
  std::puts("ok");
}
