/// The queue of D. S. Rieber, Characterization of GPU Communication, 2017 (sections 5.3.2 and 5.4), as the
/// reference that ours is measured beside: 24 bytes per lane and access, in pinned host memory, one buffer per
/// bin, one consumer thread.
///
/// Kept of that design: the record, bins by the SM's low bits, reservation and acknowledgement per warp,
/// waiting warps that look into host memory, a host thread that goes round the bins and writes full ones out.
/// Changed, since a reference that loses or hangs measures nothing:
/// - the counts lie in device memory and only grow. In that design they lie in host memory and are reset
///   while lanes add to them, which is not one operation on every platform;
/// - a group that doesn't fit in what is left of the buffer fills that with pads, so "full" is exact. In that
///   design the threshold is reached while up to 31 lanes may still write.
/// Both make it faster, not slower.
///
/// The file that includes this with CUPR_REFERENCE_QUEUE defined is the one with the kernels; its device code
/// is linked with hooks.cu in place of the project's device library.
#ifndef CUPR_TEST_BENCH_REFERENCE_QUEUE_H
#define CUPR_TEST_BENCH_REFERENCE_QUEUE_H

#include <cstdint>

namespace reference {

/// 24 bytes: what that design writes per access (figure 5.2).
struct Record {
  unsigned long long description; ///< SM, kind and size of the access; 0: a pad
  unsigned long long address;
  unsigned long long cta;
};
static_assert(sizeof(Record) == 24, "as in that design");

struct Counts {
  unsigned long long reserved, acknowledged; ///< in records, from the program's start
  unsigned long long pads;                   ///< of these
};

struct Queue {
  Record *records;               ///< pinned host memory, bin after bin
  Counts *counts;                ///< device memory, by bin
  unsigned long long *filled;    ///< pinned, by bin: how often the device has filled the buffer
  unsigned long long *evacuated; ///< pinned, by bin: how often the host has emptied it
  unsigned recordsLog2;          ///< of a bin's buffer
  unsigned binsLog2;
};

} // namespace reference

#ifdef CUPR_REFERENCE_QUEUE

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

/// hooks.cu looks here.
extern "C" {
__device__ reference::Queue referenceQueue;
}

namespace reference {

/// The consumer. REFERENCE_TRACE names the file that the records go to; without it they are discarded.
class Consumer {
public:
  Consumer() {
    queue_.recordsLog2 = 15; // 768 KiB: in the range that was found best there
    queue_.binsLog2 = 7;     // nearest to an H200's 132 SMs
    must(cudaHostAlloc(&queue_.records, sizeof(Record) * bins() << queue_.recordsLog2, cudaHostAllocMapped));
    must(cudaHostAlloc(&queue_.filled, sizeof(unsigned long long) * bins(), cudaHostAllocMapped));
    must(cudaHostAlloc(&queue_.evacuated, sizeof(unsigned long long) * bins(), cudaHostAllocMapped));
    std::memset(queue_.filled, 0, sizeof(unsigned long long) * bins());
    std::memset(queue_.evacuated, 0, sizeof(unsigned long long) * bins());
    must(cudaMalloc(&queue_.counts, sizeof(Counts) * bins()));
    must(cudaMemset(queue_.counts, 0, sizeof(Counts) * bins()));
    must(cudaMemcpyToSymbol(referenceQueue, &queue_, sizeof queue_));
    if (const char *path = std::getenv("REFERENCE_TRACE"))
      file_ = std::fopen(path, "wb");
    thread_ = std::thread([this] { consume(); });
  }
  ~Consumer() {
    flush();
    isEnding_ = true;
    thread_.join();
    if (file_ && std::fclose(file_) != 0)
      std::fprintf(stderr, "reference: the trace can't be written\n");
    std::fprintf(stderr, "reference: %llu accesses\n", accesses_);
  }

  /// When it returns, the records of all kernels that have ended are delivered.
  void flush() {
    must(cudaDeviceSynchronize());
    std::vector<Counts> counts(bins());
    must(cudaMemcpy(counts.data(), queue_.counts, sizeof(Counts) * bins(), cudaMemcpyDeviceToHost));
    wanted_ = counts.data();
    while (wanted_)
      std::this_thread::yield();
  }

private:
  static void must(cudaError_t status) {
    if (status == cudaSuccess)
      return;
    std::fprintf(stderr, "reference: %s\n", cudaGetErrorString(status));
    std::exit(2);
  }
  unsigned bins() const { return 1u << queue_.binsLog2; }

  void consume() {
    std::vector<unsigned long long> taken(bins(), 0);
    while (!isEnding_) {
      const Counts *const counts = wanted_.load(); // before the buffers: those that it counts are seen
      for (unsigned bin = 0; bin < bins(); ++bin) {
        const std::atomic_ref<unsigned long long> filled(queue_.filled[bin]),
            evacuated(queue_.evacuated[bin]);
        while (filled.load(std::memory_order_acquire) > evacuated.load(std::memory_order_relaxed)) {
          const auto next = evacuated.load(std::memory_order_relaxed) + 1;
          take(bin, taken[bin], next << queue_.recordsLog2);
          evacuated.store(next, std::memory_order_release);
        }
      }
      if (counts) {
        for (unsigned bin = 0; bin < bins(); ++bin)
          take(bin, taken[bin], counts[bin].reserved);
        accesses_ = 0;
        for (unsigned bin = 0; bin < bins(); ++bin)
          accesses_ += counts[bin].reserved - counts[bin].pads;
        wanted_ = nullptr;
      }
    }
  }
  /// Hands out the records from `taken` to `end`, which lie in one filling of the buffer.
  void take(unsigned bin, unsigned long long &taken, unsigned long long end) {
    const unsigned long long mask = (1ull << queue_.recordsLog2) - 1;
    const Record *const from =
        queue_.records + (static_cast<std::size_t>(bin) << queue_.recordsLog2) + (taken & mask);
    const std::size_t count = end - taken;
    if (file_ && count && std::fwrite(from, sizeof(Record), count, file_) != count)
      std::exit(2);
    taken = end;
  }

  Queue queue_{};
  std::FILE *file_ = nullptr;
  unsigned long long accesses_ = 0; ///< up to the last flush
  std::atomic<const Counts *> wanted_{nullptr};
  std::atomic<bool> isEnding_{false};
  std::thread thread_;
};

inline Consumer &consumer() {
  static Consumer consumer;
  return consumer;
}

} // namespace reference

/// What <cupr/control.h> declares, of this queue.
static void cuprFlush() { reference::consumer().flush(); }

#endif
#endif
