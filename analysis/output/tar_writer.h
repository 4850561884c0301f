/// Archives of POSIX's ustar format, of plain files with short names. Equal contents make equal archives: nothing in one tells when, where or by whom it was
/// written.
#ifndef CUPR_ANALYSIS_TAR_WRITER_H
#define CUPR_ANALYSIS_TAR_WRITER_H

#include "byte_sink.h"

#include <string_view>

namespace cupr::analysis {

class TarWriter {
public:
  explicit TarWriter(ByteSink &sink) : sink_(sink) {}

  /// Throws std::invalid_argument where the format has no room for the name (100 bytes) or the content (8 GiB).
  void file(std::string_view name, std::string_view content);
  /// The archive's end, and the sink's.
  void finish();

private:
  ByteSink &sink_;
};

} // namespace cupr::analysis

#endif
