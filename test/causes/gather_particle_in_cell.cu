/// The push of the particle-in-cell method: each particle's velocity grows by the field of its cell.
///
/// Particles were in the order of their cells when they were made, and have moved since. The field of a
/// warp's particles comes from cells anywhere, each in a sector of its own.
/// Fix: sort the particles by cell from time to time; here they are, with eight of them in a cell.
/// cause: gather
///
/// SIZE: particles, a multiple of 256; for a GPU 16777216.
#include "pair.h"

namespace {

constexpr int kThreads = 256, kPerCell = 8;

__global__ void pushSlow(const int *cell, const float *field, float *velocity) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float force = field[cell[i]]; // <- waste: load
  velocity[i] += force;
}

/// The same, of particles in the order of their cells.
__global__ void pushFixed(const int *cell, const float *field, float *velocity) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float force = field[cell[i]];
  velocity[i] += force;
}

class ParticleInCell : public Pair {
public:
  explicit ParticleInCell(int count)
      : count_(count), inOrder_(shuffled(0, count, 1)), hostVelocity_(wholeNumbers<float>(count, 2)),
        hostField_(wholeNumbers<float>(count / kPerCell, 3)), hostCell_(count), field_(hostField_),
        cell_(count), sortedCell_(count), velocity_(count), sortedVelocity_(count) {
    std::vector<int> sortedCell(count);
    for (int i = 0; i < count; ++i)
      hostCell_[inOrder_[i]] = sortedCell[i] = i / kPerCell;
    cell_.assign(hostCell_);
    sortedCell_.assign(sortedCell);
  }

  void prepare() override {
    velocity_.assign(hostVelocity_);
    std::vector<float> sorted;
    for (const int particle : inOrder_)
      sorted.push_back(hostVelocity_[particle]);
    sortedVelocity_.assign(sorted);
  }

  void slow() override {
    pushSlow<<<count_ / kThreads, kThreads>>>(cell_.data(), field_.data(), velocity_.data());
  }

  void fixed() override {
    pushFixed<<<count_ / kThreads, kThreads>>>(sortedCell_.data(), field_.data(), sortedVelocity_.data());
  }

  std::vector<double> results(Version version) const override {
    if (version == Version::Slow)
      return velocity_.doubles();
    const std::vector<float> sorted = sortedVelocity_.values();
    std::vector<double> velocity(count_);
    for (int i = 0; i < count_; ++i)
      velocity[inOrder_[i]] = sorted[i];
    return velocity;
  }

  std::vector<double> wanted() const override {
    std::vector<double> wanted;
    for (int i = 0; i < count_; ++i)
      wanted.push_back(hostVelocity_[i] + hostField_[hostCell_[i]]);
    return wanted;
  }

private:
  int count_;
  std::vector<int> inOrder_; ///< particles, sorted by cell
  std::vector<float> hostVelocity_, hostField_;
  std::vector<int> hostCell_;
  DeviceArray<float> field_;
  DeviceArray<int> cell_, sortedCell_;
  DeviceArray<float> velocity_, sortedVelocity_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<ParticleInCell>(argc, argv, 131072, 256); }
