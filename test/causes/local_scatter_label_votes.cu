/// The label that most of 64 segmentations give to a pixel, of 16 labels.
///
/// Each thread counts votes in an array of its own. Where the index follows from data, the array is in local
/// memory, and threads of a warp are at different places of it.
/// Fix: the counts are in shared memory, as [label][thread].
/// cause: local-scatter
///
/// SIZE: pixels, a multiple of 128; for a GPU 1048576.
#include "pair.h"

namespace {

constexpr int kThreads = 128, kLabels = 16, kVoters = 64;

__global__ void votesSlow(const int *votes, int *labels, int pixels) {
  int counts[kLabels] = {};
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int voter = 0; voter < kVoters; ++voter)
    ++counts[votes[voter * pixels + i]]; // <- waste: load
  int best = 0, most = counts[0];
  for (int label = 1; label < kLabels; ++label)
    if (counts[label] > most) {
      most = counts[label];
      best = label;
    }
  labels[i] = best;
}

__global__ void votesFixed(const int *votes, int *labels, int pixels) {
  __shared__ int counts[kLabels][kThreads];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int label = 0; label < kLabels; ++label)
    counts[label][threadIdx.x] = 0;
  for (int voter = 0; voter < kVoters; ++voter)
    ++counts[votes[voter * pixels + i]][threadIdx.x];
  int best = 0, most = counts[0][threadIdx.x];
  for (int label = 1; label < kLabels; ++label)
    if (counts[label][threadIdx.x] > most) {
      most = counts[label][threadIdx.x];
      best = label;
    }
  labels[i] = best;
}

class LabelVotes : public Pair {
public:
  explicit LabelVotes(int pixels)
      : pixels_(pixels), host_(wholeNumbers<int>(std::size_t(pixels) * kVoters, 1, kLabels)), votes_(host_),
        labels_(pixels) {}

  void slow() override {
    votesSlow<<<pixels_ / kThreads, kThreads>>>(votes_.data(), labels_.data(), pixels_);
  }
  void fixed() override {
    votesFixed<<<pixels_ / kThreads, kThreads>>>(votes_.data(), labels_.data(), pixels_);
  }

  std::vector<double> results(Version) const override { return labels_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> wanted;
    for (int i = 0; i < pixels_; ++i) {
      int counts[kLabels] = {};
      for (int voter = 0; voter < kVoters; ++voter)
        ++counts[host_[std::size_t(voter) * pixels_ + i]];
      wanted.push_back(double(std::max_element(counts, counts + kLabels) - counts));
    }
    return wanted;
  }

private:
  int pixels_;
  std::vector<int> host_;
  DeviceArray<int> votes_, labels_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<LabelVotes>(argc, argv, 4096, 128); }
