/// How often each of 16 values occurs in each part of a file of digits, by a histogram for each thread.
///
/// The histograms are rows of 16 counters in shared memory, one behind the other, so which bank a thread asks follows
/// from its digit and from whether its number is odd: 32 threads share two banks for each digit.
/// Fix: counters of one digit lie side by side, and a thread's are all in the bank of its number.
/// cause: bank-conflict
///
/// SIZE: digits, a multiple of 4096; for a GPU 67108864.
#include "pair.h"

namespace {

constexpr int kBlock = 128, kEach = 32, kBins = 16; ///< digits of each thread, values of a digit

__global__ void histogramsSlow(const unsigned *digits, unsigned *out) {
  __shared__ unsigned counts[kBlock * kBins];
  const int t = threadIdx.x;
  for (int i = t; i < kBlock * kBins; i += kBlock)
    counts[i] = 0;
  __syncthreads();
  for (int i = 0; i < kEach; ++i) {
    const unsigned digit = digits[(blockIdx.x * kEach + i) * kBlock + t];
    ++counts[t * kBins + digit]; // <- waste: load and store
  }
  __syncthreads();
  if (t < kBins) {
    unsigned sum = 0;
    for (int i = 0; i < kBlock; ++i)
      sum += counts[i * kBins + t];
    out[blockIdx.x * kBins + t] = sum;
  }
}

__global__ void histogramsFixed(const unsigned *digits, unsigned *out) {
  __shared__ unsigned counts[kBlock * kBins];
  const int t = threadIdx.x;
  for (int i = t; i < kBlock * kBins; i += kBlock)
    counts[i] = 0;
  __syncthreads();
  for (int i = 0; i < kEach; ++i) {
    const unsigned digit = digits[(blockIdx.x * kEach + i) * kBlock + t];
    ++counts[digit * kBlock + t];
  }
  __syncthreads();
  if (t < kBins) {
    unsigned sum = 0;
    for (int i = 0; i < kBlock; ++i) // each begins in a bank of its own
      sum += counts[t * kBlock + (i + t) % kBlock];
    out[blockIdx.x * kBins + t] = sum;
  }
}

class PrivateHistograms : public Pair {
public:
  explicit PrivateHistograms(int size)
      : host_(wholeNumbers<unsigned>(size, 1, kBins)), digits_(host_),
        out_(std::size_t(size) / (kBlock * kEach) * kBins) {}

  void slow() override { histogramsSlow<<<blocks(), kBlock>>>(digits_.data(), out_.data()); }
  void fixed() override { histogramsFixed<<<blocks(), kBlock>>>(digits_.data(), out_.data()); }
  std::vector<double> results(Version) const override { return out_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> wanted(out_.size());
    for (std::size_t i = 0; i < host_.size(); ++i)
      ++wanted[i / (kBlock * kEach) * kBins + host_[i]];
    return wanted;
  }

private:
  int blocks() const { return int(out_.size()) / kBins; }

  std::vector<unsigned> host_;
  DeviceArray<unsigned> digits_, out_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<PrivateHistograms>(argc, argv, 65536, 4096); }
