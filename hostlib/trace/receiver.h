/// What a program that embeds the tracer gets instead of a file.
#ifndef CUPR_TRACE_RECEIVER_H
#define CUPR_TRACE_RECEIVER_H

#include "message.h"

#include <cstdint>
#include <span>

namespace cupr::trace {

/// Gets what comes to the writer that Writer::createCallback makes. The threads that deliver call it, while
/// they deliver: a receiver that takes its time holds the program up. Calls may come from several threads at
/// once; the records of one launch and channel come in their order, one call after the other. What is thrown is
/// swallowed, and the writer has then failed.
class RecordReceiver {
public:
  /// Before any launch that names it.
  virtual void module(const Module &) {}
  virtual void launch(const Launch &) {}
  /// Whole records (devicelib/abi/record_head.h) as they stand in a trace: no pads, generation 0. `words` are
  /// valid during the call.
  virtual void records(LaunchId launch, std::uint32_t channel, std::span<const Word> words) = 0;
  /// After the launch's last records.
  virtual void launchEnd(const LaunchTotals &) {}

protected:
  ~RecordReceiver() = default;
};

} // namespace cupr::trace

#endif
