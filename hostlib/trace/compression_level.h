/// How much time chunks may take: zstd's level follows back-pressure.
///
/// While the device makes records faster than the delivering threads can take them, every moment of
/// compression holds the program up, so it is fast. When those threads wait for records most of the time,
/// they may as well compress better. Each thread decides by what it did since its last chunk.
#ifndef CUPR_TRACE_COMPRESSION_LEVEL_H
#define CUPR_TRACE_COMPRESSION_LEVEL_H

#include <chrono>

namespace cupr::trace {

/// The level for threads that have time.
inline constexpr int kThoroughLevel = 5;

/// One for each thread.
class CompressionLevel {
public:
  using Clock = std::chrono::steady_clock;

  /// The thread comes with records, and goes when they are dealt with.
  void come(Clock::time_point now) {
    if (gone_ != Clock::time_point())
      idle_ += now - gone_;
    come_ = now;
  }
  void go(Clock::time_point now) {
    busy_ += now - come_;
    gone_ = now;
  }
  /// For the chunk that is due now.
  int level(Clock::time_point now);

private:
  Clock::time_point come_, gone_;
  Clock::duration busy_{}, idle_{};
};

} // namespace cupr::trace

#endif
