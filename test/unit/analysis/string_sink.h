/// What is written, kept in memory.
#ifndef CUPR_TEST_STRING_SINK_H
#define CUPR_TEST_STRING_SINK_H

#include "analysis/output/byte_sink.h"

#include <string>

namespace cupr::test {

struct Written {
  std::string text;
  bool isFinished = false;
};

class StringSink final : public analysis::ByteSink {
public:
  explicit StringSink(Written &to) : to_(to) {}
  void write(std::string_view bytes) override { to_.text += bytes; }
  void finish() override { to_.isFinished = true; }

private:
  Written &to_;
};

} // namespace cupr::test

#endif
