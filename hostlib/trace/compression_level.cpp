#include "compression_level.h"

#include "chunk.h"

namespace cupr::trace {

int CompressionLevel::level(Clock::time_point now) {
  const Clock::duration busy = busy_ + (now - come_), idle = idle_;
  busy_ = come_ - now; // this visit's time goes on to count from here
  idle_ = {};
  // A better level takes a few times as long: there must be time for that.
  return idle > 4 * busy ? kThoroughLevel : kFastLevel;
}

} // namespace cupr::trace
