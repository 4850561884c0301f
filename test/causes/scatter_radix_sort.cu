/// The last step of a pass of radix sort, by the lowest 8 bits: each key goes to its place, which the steps
/// before, counts and scans, have found.
///
/// A thread stores its key where it belongs. Neighbouring keys have any digits, and of 256 digits each has
/// its own part of the result: each thread stores 4 bytes to a sector of its own.
/// Fix: sort the keys of a block in shared memory first; keys with one digit are then stored by neighbours.
/// Here each block has eight of each digit, which are a sector.
/// cause: scatter
///
/// SIZE: keys, a multiple of 2048; for a GPU 16777216.
#include "pair.h"

namespace {

constexpr int kDigits = 256, kPerBlock = 2048, kThreads = 256;

__global__ void placeSlow(const unsigned *keys, const int *place, unsigned *sorted) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned key = keys[i];
  sorted[place[i]] = key; // <- waste: store
}

/// `placeInBlock`: of a key in the sorted block. `away`: by block and digit, how far from there its place is.
__global__ void placeFixed(const unsigned *keys, const int *placeInBlock, const int *away, unsigned *sorted) {
  __shared__ unsigned ofBlock[kPerBlock];
  __shared__ int ofDigit[kDigits];
  const int first = blockIdx.x * kPerBlock;
  ofDigit[threadIdx.x] = away[blockIdx.x * kDigits + threadIdx.x];
  for (int i = threadIdx.x; i < kPerBlock; i += blockDim.x)
    ofBlock[placeInBlock[first + i]] = keys[first + i];
  __syncthreads();
  for (int i = threadIdx.x; i < kPerBlock; i += blockDim.x)
    sorted[i + ofDigit[ofBlock[i] % kDigits]] = ofBlock[i];
}

class RadixSort : public Pair {
public:
  explicit RadixSort(int count)
      : count_(count), host_(makeKeys(count)), keys_(host_), place_(count), placeInBlock_(count),
        away_(std::size_t(count / kPerBlock) * kDigits), sorted_(count) {
    std::vector<int> place = ranks(0, count), placeInBlock, away(away_.size());
    for (int first = 0; first < count; first += kPerBlock) {
      const std::vector<int> ofBlock = ranks(first, kPerBlock);
      placeInBlock.insert(placeInBlock.end(), ofBlock.begin(), ofBlock.end());
    }
    for (int i = 0; i < count; ++i)
      away[i / kPerBlock * kDigits + host_[i] % kDigits] = place[i] - placeInBlock[i];
    place_.assign(place);
    placeInBlock_.assign(placeInBlock);
    away_.assign(away);
  }

  void slow() override {
    placeSlow<<<count_ / kThreads, kThreads>>>(keys_.data(), place_.data(), sorted_.data());
  }

  void fixed() override {
    placeFixed<<<count_ / kPerBlock, kThreads>>>(keys_.data(), placeInBlock_.data(), away_.data(),
                                                 sorted_.data());
  }

  std::vector<double> results(Version) const override { return sorted_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<std::vector<double>> ofDigits(kDigits);
    for (const unsigned key : host_)
      ofDigits[key % kDigits].push_back(key);
    std::vector<double> wanted;
    for (const std::vector<double> &keys : ofDigits)
      wanted.insert(wanted.end(), keys.begin(), keys.end());
    return wanted;
  }

private:
  static std::vector<unsigned> makeKeys(int count) {
    std::vector<unsigned> keys;
    for (int first = 0; first < count; first += kPerBlock)
      for (const int number : shuffled(0, kPerBlock, 1 + first))
        keys.push_back(scattered(first + number) % 65536 * kDigits + number % kDigits);
    return keys;
  }

  /// Of each of these keys, its place among them when they are sorted by their digits.
  std::vector<int> ranks(int first, int count) const {
    std::vector<int> next(kDigits + 1), ranks;
    for (int i = first; i < first + count; ++i)
      ++next[host_[i] % kDigits + 1];
    for (int digit = 1; digit < kDigits; ++digit)
      next[digit] += next[digit - 1];
    for (int i = first; i < first + count; ++i)
      ranks.push_back(next[host_[i] % kDigits]++);
    return ranks;
  }

  int count_;
  std::vector<unsigned> host_;
  DeviceArray<unsigned> keys_;
  DeviceArray<int> place_, placeInBlock_, away_;
  DeviceArray<unsigned> sorted_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<RadixSort>(argc, argv, 131072, 2048); }
