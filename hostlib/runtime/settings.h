/// The CUPR_* environment variables that the runtime reads, once, when it starts.
#ifndef CUPR_RUNTIME_SETTINGS_H
#define CUPR_RUNTIME_SETTINGS_H

#include <cstddef>
#include <string>

namespace cupr::host {

struct Settings {
  /// CUPR_TRACE: the file, or the folder for `<program>.<pid>.cuprtrace`. "off": no trace.
  std::string tracePath;
  bool enabled = true;
  /// CUPR_BUFFER: bytes of record buffer per stream (suffixes K, M, G).
  std::size_t bufferBytes = std::size_t{32} << 20;
  /// CUPR_PAGE: bytes of a page, a power of two from 1K to 1M.
  unsigned pageBytesLog2 = 16;
  /// CUPR_CONSUMERS: threads per stream that take records from the GPU. Default: a quarter of the
  /// machine's, at least 1, at most 8.
  unsigned consumerThreads = 1;

  static Settings fromEnvironment();
};

} // namespace cupr::host

#endif
