/// Where an export's bytes go: a file or stdout, compressed or not. Errors are thrown as std::runtime_error.
#ifndef CUPR_ANALYSIS_BYTE_SINK_H
#define CUPR_ANALYSIS_BYTE_SINK_H

#include "pending_file.h"

#include <memory>
#include <string>
#include <string_view>

namespace cupr::analysis {

class ByteSink {
public:
  virtual ~ByteSink() = default;
  virtual void write(std::string_view bytes) = 0;
  /// What was written is complete, and has left the process, when this returns.
  virtual void finish() = 0;
};

enum class Compression { None, Gzip, Zstd };

/// Creates or truncates the file.
std::unique_ptr<ByteSink> fileSink(const PendingFile &file);
std::unique_ptr<ByteSink> stdoutSink();
/// Compresses what is written on its way to `sink`.
std::unique_ptr<ByteSink> compressed(std::unique_ptr<ByteSink> sink, Compression compression);
/// Writes the bytes of the file `path` to `sink`.
void copyFile(const std::string &path, ByteSink &sink);

} // namespace cupr::analysis

#endif
