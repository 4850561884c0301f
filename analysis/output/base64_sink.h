/// Bytes as text that may stand anywhere.
#ifndef CUPR_ANALYSIS_BASE64_SINK_H
#define CUPR_ANALYSIS_BASE64_SINK_H

#include "byte_sink.h"

namespace cupr::analysis {

/// Writes base64 of what it gets. Leaves `sink` open when it is finished.
class Base64Sink final : public ByteSink {
public:
  explicit Base64Sink(ByteSink &sink) : sink_(sink) {}

  void write(std::string_view bytes) override;
  void finish() override { encode(rest_.size()); }

private:
  void encode(std::size_t size);

  ByteSink &sink_;
  std::string rest_;
};

} // namespace cupr::analysis

#endif
