/// Makes a trace of what `cupranalyze export` writes: JSON, Protobuf or Cap'n Proto, compressed or not, and of a compressed trace.
#ifndef CUPR_ANALYSIS_IMPORT_H
#define CUPR_ANALYSIS_IMPORT_H

#include "byte_source.h"
#include "hostlib/trace/work_limit.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cupr::analysis {

/// What a file is, by its first bytes as they are unpacked.
enum class ExportFormat { Json, Protobuf, Capnp, Trace, None };
const char *nameOf(ExportFormat format);

/// Goes step by step, so that whoever has one thread can listen to others in between.
class Import {
public:
  /// Opens `from`, and creates or truncates `to`. Throws BadTrace, as all that follow, where `from` is no export or breaks a rule: the
  /// text has the file, the place and the rule; trace::TooMuch; std::runtime_error where `to` can't be written.
  Import(const std::string &from, std::string to);
  ~Import();
  Import(const Import &) = delete;
  Import &operator=(const Import &) = delete;

  /// Takes the next part of the file, of about kStepBytes as they are unpacked. False: there is no more, and the trace is whole.
  bool step();

  ExportFormat format() const { return format_; }
  /// How much of the file has been read.
  std::uint64_t bytesRead() const { return source_->fileOffset(); }
  /// What the export says of itself that people should know, a sentence each.
  const std::vector<std::string> &notes() const;

  static constexpr std::uint64_t kStepBytes = 1u << 18;
  /// What writes the trace.
  class Taker;

private:
  template <typename Body> auto placed(Body body);

  const std::string from_, to_;
  std::unique_ptr<ByteSource> source_;
  std::unique_ptr<trace::WorkLimit> limit_;
  ExportFormat format_ = ExportFormat::None;
  std::unique_ptr<Taker> taker_;
};

} // namespace cupr::analysis

#endif
