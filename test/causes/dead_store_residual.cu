/// Heat in rods that lie side by side, by explicit steps: each point takes on the mean of its neighbours in its rod.
///
/// How far a point has moved is stored in each step, since the program prints it at the end, and every step stores
/// over what the one before had left.
/// Fix: let the last step store it.
/// cause: dead-store
///
/// SIZE: rods, a multiple of 32; for a GPU 262144.
#include "pair.h"

namespace {

constexpr int kThreads = 256, kPoints = 32, kSteps = 8;

enum class Moved { Store, Leave };

__device__ float step(const float *from, float *to, int i, int rods, int point) {
  const float here = from[i], before = point == 0 ? here : from[i - rods],
              behind = point == kPoints - 1 ? here : from[i + rods];
  const float next = 0.25f * before + 0.5f * here + 0.25f * behind;
  to[i] = next;
  return fabsf(next - here);
}

__global__ void stepSlow(const float *from, float *to, float *moved, int rods) {
  const int point = blockIdx.y, i = point * rods + blockIdx.x * blockDim.x + threadIdx.x;
  const float distance = step(from, to, i, rods, point);
  moved[i] = distance; // <- waste: store
}

template <Moved kMoved> __global__ void stepFixed(const float *from, float *to, float *moved, int rods) {
  const int point = blockIdx.y, i = point * rods + blockIdx.x * blockDim.x + threadIdx.x;
  const float distance = step(from, to, i, rods, point);
  if (kMoved == Moved::Store)
    moved[i] = distance;
}

class Residual : public Pair {
public:
  explicit Residual(int rods)
      : rods_(rods), host_(wholeNumbers<float>(std::size_t(rods) * kPoints, 1)), now_(host_.size()),
        next_(host_.size()), moved_(host_.size()) {}

  void prepare() override { now_.assign(host_); }

  void slow() override {
    for (int i = 0; i < kSteps; ++i)
      stepSlow<<<grid(), threads()>>>(from(i), to(i), moved_.data(), rods_);
  }
  void fixed() override {
    for (int i = 0; i < kSteps - 1; ++i)
      stepFixed<Moved::Leave><<<grid(), threads()>>>(from(i), to(i), moved_.data(), rods_);
    stepFixed<Moved::Store><<<grid(), threads()>>>(from(kSteps - 1), to(kSteps - 1), moved_.data(), rods_);
  }

  std::vector<double> results(Version) const override {
    std::vector<double> all = now_.doubles();
    for (const double moved : moved_.doubles())
      all.push_back(moved);
    return all;
  }

  std::vector<double> wanted() const override {
    std::vector<double> now(host_.begin(), host_.end()), next(now.size()), moved(now.size());
    for (int i = 0; i < kSteps; ++i, now.swap(next))
      for (std::size_t at = 0; at < now.size(); ++at) {
        const double before = at < std::size_t(rods_) ? now[at] : now[at - rods_],
                     behind = at + rods_ >= now.size() ? now[at] : now[at + rods_];
        next[at] = 0.25 * before + 0.5 * now[at] + 0.25 * behind;
        moved[at] = std::fabs(next[at] - now[at]);
      }
    now.insert(now.end(), moved.begin(), moved.end());
    return now;
  }

private:
  static_assert(kSteps % 2 == 0, "the last step leaves its result where the first one began");
  /// Of a block; fewer, where there is less to do.
  int threads() const { return std::min(rods_, kThreads); }
  dim3 grid() const { return dim3(rods_ / threads(), kPoints); }
  float *from(int step) { return step % 2 == 0 ? now_.data() : next_.data(); }
  float *to(int step) { return step % 2 == 0 ? next_.data() : now_.data(); }

  int rods_;
  std::vector<float> host_;
  DeviceArray<float> now_, next_, moved_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<Residual>(argc, argv, 512, 32); }
