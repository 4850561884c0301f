/// Accelerations of bodies that attract each other, all pairs: a thread for each body, others in tiles of shared memory.
#include "workload.h"

namespace {

constexpr int kThreads = 256;
constexpr float kSoftening = 0.01f;

__device__ float3 attract(float3 sum, float4 me, float4 other) {
  const float x = other.x - me.x, y = other.y - me.y, z = other.z - me.z;
  const float inverse = rsqrtf(x * x + y * y + z * z + kSoftening);
  const float strength = other.w * inverse * inverse * inverse;
  return make_float3(sum.x + x * strength, sum.y + y * strength, sum.z + z * strength);
}

__global__ void nbodyKernel(const float4 *bodies, float4 *accelerations, int n) {
  __shared__ float4 tile[kThreads];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 me = bodies[i];
  float3 sum = make_float3(0, 0, 0);
  for (int start = 0; start < n; start += kThreads) {
    tile[threadIdx.x] = bodies[start + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < kThreads; ++j)
      sum = attract(sum, me, tile[j]);
    __syncthreads();
  }
  accelerations[i] = make_float4(sum.x, sum.y, sum.z, 0);
}

class Nbody : public Workload {
public:
  explicit Nbody(int n) : n_(n), host_(makeBodies(n)), bodies_(host_), accelerations_(host_.size()) {}

  void run() override { nbodyKernel<<<n_ / kThreads, kThreads>>>(bodies_.data(), accelerations_.data(), n_); }

  bool right() override {
    const std::vector<float4> accelerations = accelerations_.values();
    for (const std::size_t i : sample(n_, 256)) {
      double wanted[3] = {};
      for (const float4 &other : host_) {
        const double away[3] = {double(other.x) - host_[i].x, double(other.y) - host_[i].y,
                                double(other.z) - host_[i].z};
        const double distance =
            std::sqrt(away[0] * away[0] + away[1] * away[1] + away[2] * away[2] + double(kSoftening));
        for (int axis = 0; axis < 3; ++axis)
          wanted[axis] += other.w * away[axis] / (distance * distance * distance);
      }
      if (!isClose(accelerations[i].x, wanted[0], 1e-3) || !isClose(accelerations[i].y, wanted[1], 1e-3) ||
          !isClose(accelerations[i].z, wanted[2], 1e-3))
        return false;
    }
    return true;
  }

private:
  static std::vector<float4> makeBodies(int n) {
    const std::vector<float> numbers = randomFloats(std::size_t(n) * 4, 12);
    std::vector<float4> bodies(n);
    for (int i = 0; i < n; ++i)
      bodies[i] = make_float4(numbers[4 * i], numbers[4 * i + 1], numbers[4 * i + 2],
                              (1.0f + numbers[4 * i + 3]) / float(n));
    return bodies;
  }

  int n_;
  std::vector<float4> host_;
  DeviceArray<float4> bodies_, accelerations_;
};

} // namespace

std::unique_ptr<Workload> nbody(int size) { return std::make_unique<Nbody>(size); }
