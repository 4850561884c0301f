/// Bounds what the reader of a trace does for it, in proportion to the file: a few bytes can ask for hours of
/// work, or more memory than there is, and no trace is worth that unless its owner says so.
///
/// Work is counted in steps, of about a nanosecond of one processor each; what costs how much stands where it
/// is spent. Memory is what the file makes the reader keep, beside what is bounded otherwise. Programs whose
/// traces are small for what they did (regular accesses pack well) may exceed it: `--any-size`.
#ifndef CUPR_TRACE_WORK_LIMIT_H
#define CUPR_TRACE_WORK_LIMIT_H

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace cupr::trace {

/// The text names the file, the place and the reason.
struct TooMuch : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// May be used by several threads at once.
class WorkLimit {
public:
  /// What every file may take, and what a large one may take for each of its bytes.
  static constexpr std::uint64_t kFreeSteps = 6'000'000'000, kStepsPerByte = 500;
  static constexpr std::uint64_t kFreeBytes = std::uint64_t{128} << 20, kBytesPerByte = 16;

  WorkLimit(std::string path, std::uint64_t fileBytes);

  /// Before work: `place()` is a text that says where in the file what is asked for, for the message. Throws
  /// TooMuch.
  template <typename Place> void spend(std::uint64_t steps, Place place) {
    if (!addTo(spent_, steps, mostSteps_))
      refuse(place(), "takes more work than a file of its size may ask for");
  }
  /// Before memory is taken that stays.
  template <typename Place> void keep(std::uint64_t bytes, Place place) {
    if (!addTo(kept_, bytes, mostBytes_))
      refuse(place(), "takes more memory than a file of its size may ask for");
  }
  /// What was kept is free again.
  void release(std::uint64_t bytes) { kept_.fetch_sub(bytes, std::memory_order_relaxed); }
  /// Whoever asks anew, for what he knows the cost of, has all steps again. Not while others spend.
  void renewSteps() { spent_.store(0, std::memory_order_relaxed); }
  std::uint64_t spent() const { return spent_.load(std::memory_order_relaxed); }
  std::uint64_t mostSteps() const { return mostSteps_; }
  /// Whether there is still so much of both; nothing is spent.
  bool has(std::uint64_t steps, std::uint64_t bytes) const;

  /// For all that are made later: nothing is refused.
  static void allowAnySize();

private:
  /// Relaxed: sums are all that threads share.
  static bool addTo(std::atomic<std::uint64_t> &sum, std::uint64_t more, std::uint64_t most) {
    // A sum that ran over would be small again.
    return more <= most && sum.fetch_add(more, std::memory_order_relaxed) + more <= most;
  }
  [[noreturn]] void refuse(const std::string &place, const char *what) const;

  const std::string path_;
  const std::uint64_t fileBytes_, mostSteps_, mostBytes_;
  std::atomic<std::uint64_t> spent_{0}, kept_{0};
};

} // namespace cupr::trace

#endif
