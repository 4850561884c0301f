/// Measures what a GPU can do at most, the roof of a roofline, and prints it as JSON for `cupranalyze roofline --ceilings`.
///
/// A data sheet says what the clock allows; what a kernel can get is less: no program reads memory at its full rate, and the clock falls
/// under load. So each ceiling is what a kernel has got that does nothing else (rates.cuh): the best of some runs, by events.
#include "rates.cuh"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#define MUST(call) must(call, #call, __LINE__)

namespace {

void must(cudaError_t result, const char *call, int line) {
  if (result == cudaSuccess)
    return;
  std::fprintf(stderr, "ceilings: main.cu:%d: %s: %s\n", line, call, cudaGetErrorString(result));
  std::exit(1);
}

using Rates = std::vector<std::pair<std::string, double>>;

class Bench {
public:
  Bench() {
    MUST(cudaGetDevice(&device_));
    MUST(cudaGetDeviceProperties(&properties_, device_));
    MUST(cudaDeviceGetAttribute(&clockKilohertz_, cudaDevAttrClockRate, device_));
    MUST(cudaEventCreate(&begin_));
    MUST(cudaEventCreate(&end_));
    MUST(cudaMalloc(&out_, kOutBytes));
  }

  void run() {
    bandwidth();
    throughput();
    print();
  }

private:
  static constexpr std::size_t kOutBytes = 1 << 20, kDramBytes = std::size_t{1} << 30;
  static constexpr int kWarmUps = 2, kRuns = 7, kSteps = 1 << 16, kTimes = 1 << 12, kBlocksOfMultiprocessor = 8;

  int blocks() const { return properties_.multiProcessorCount * kBlocksOfMultiprocessor; }

  /// `amount` of one call of `launch`, each second.
  template <typename Launch> double rateOf(double amount, Launch launch) {
    float best = 0;
    for (int run = 0; run < kWarmUps + kRuns; ++run) {
      MUST(cudaEventRecord(begin_));
      launch();
      MUST(cudaGetLastError());
      MUST(cudaEventRecord(end_));
      MUST(cudaEventSynchronize(end_));
      float milliseconds = 0;
      MUST(cudaEventElapsedTime(&milliseconds, begin_, end_));
      if (run >= kWarmUps)
        best = best == 0 ? milliseconds : std::min(best, milliseconds);
    }
    return amount / (best * 1e-3);
  }

  void add(Rates &rates, const char *name, const char *unit, double rate) {
    std::fprintf(stderr, "%-12s %10.1f G%s/s\n", name, rate * 1e-9, unit);
    rates.emplace_back(name, rate);
  }

  void bandwidth() {
    uint4 *in = nullptr, *to = nullptr;
    MUST(cudaMalloc(&in, kDramBytes));
    MUST(cudaMalloc(&to, kDramBytes));
    MUST(cudaMemset(in, 1, kDramBytes));
    auto *const out = static_cast<uint4 *>(out_);
    const auto read = [&](std::size_t bytes, int times) {
      return rateOf(static_cast<double>(bytes) * times, [&] {
        readMemory<<<blocks(), kThreads>>>(in, bytes / sizeof(uint4), times, out, false);
      });
    };
    const std::size_t inL2 = static_cast<std::size_t>(properties_.l2CacheSize) / 4;
    add(bandwidth_, "dram", "B", read(kDramBytes, 4));
    add(bandwidth_, "dram_copy", "B", rateOf(2.0 * kDramBytes, [&] {
          copyMemory<<<blocks(), kThreads>>>(in, to, kDramBytes / sizeof(uint4));
        }));
    add(bandwidth_, "l2", "B", read(inL2 / sizeof(uint4) * sizeof(uint4), kTimes));
    const double ofBlocks = static_cast<double>(blocks()) * kThreads * kSteps * sizeof(uint4);
    add(bandwidth_, "l1", "B", rateOf(ofBlocks, [&] {
          readL1<<<blocks(), kThreads>>>(in, kSteps, out, false);
        }));
    add(bandwidth_, "shared", "B", rateOf(ofBlocks, [&] {
          readShared<<<blocks(), kThreads>>>(kSteps, out, false);
        }));
    MUST(cudaFree(in));
    MUST(cudaFree(to));
  }

  template <typename Kind> void computed(const char *name) {
    const double steps = static_cast<double>(blocks()) * kThreads * kChains * kSteps;
    add(throughput_, name, "op", rateOf(steps * Kind::kOperations, [&] {
          compute<Kind><<<blocks(), kThreads>>>(static_cast<typename Kind::Value *>(out_), 0.75f, kSteps, false);
        }));
  }
  template <typename Kind> void multiplied(const char *name) {
    const double steps = static_cast<double>(blocks()) * (kThreads / 32) * kChains * kSteps;
    add(throughput_, name, "op", rateOf(steps * Kind::kOperations, [&] {
          multiply<Kind><<<blocks(), kThreads>>>(static_cast<typename Kind::Result *>(out_), 0.75f, kSteps, false);
        }));
  }

  void throughput() {
    computed<Fp64>("fp64");
    computed<Fp32>("fp32");
    computed<Fp16>("fp16");
    computed<Bf16>("bf16");
    computed<Int32>("int32");
    computed<Special>("special");
    multiplied<TensorF16>("tensor.f16");
    multiplied<TensorBf16>("tensor.bf16");
    multiplied<TensorS8>("tensor.s8");
    multiplied<TensorF64>("tensor.f64");
  }

  static void printRates(const char *name, const Rates &rates, const char *end) {
    std::printf("  \"%s\": {", name);
    for (std::size_t i = 0; i < rates.size(); ++i)
      std::printf("%s\"%s\": %.4g", i == 0 ? "" : ", ", rates[i].first.c_str(), rates[i].second);
    std::printf("}%s\n", end);
  }

  void print() const {
    std::printf("{\n  \"format\": 1,\n  \"device\": {\"name\": \"%s\", \"compute_capability\": \"%d.%d\", \"multiprocessors\": %d, "
                "\"clock_khz\": %d, \"l2_bytes\": %d},\n",
                properties_.name, properties_.major, properties_.minor, properties_.multiProcessorCount, clockKilohertz_,
                properties_.l2CacheSize);
    printRates("bandwidth", bandwidth_, ",");
    printRates("throughput", throughput_, "");
    std::printf("}\n");
  }

  int device_ = 0, clockKilohertz_ = 0;
  cudaDeviceProp properties_{};
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  void *out_ = nullptr;
  Rates bandwidth_, throughput_;
};

} // namespace

int main() { Bench().run(); }
