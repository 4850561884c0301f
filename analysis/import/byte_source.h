/// Where the bytes of an export come from: a file, unpacked on the way if it is compressed with gzip or zstd, as its first bytes say.
#ifndef CUPR_ANALYSIS_BYTE_SOURCE_H
#define CUPR_ANALYSIS_BYTE_SOURCE_H

#include "hostlib/trace/work_limit.h"

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace cupr::analysis {

/// A rule that an export breaks, without its place.
struct BrokenExport : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One stage of what a file's bytes come through.
class ByteStage {
public:
  virtual ~ByteStage() = default;
  /// Fills `to` from its beginning on; 0: there is no more. Throws BrokenExport, std::bad_alloc.
  virtual std::size_t read(std::span<char> to) = 0;
};

/// Memory: a block.
class ByteSource {
public:
  /// Throws BrokenExport if the file can't be opened.
  explicit ByteSource(const std::string &path);

  /// From now on what is unpacked is work: a few bytes can be those of any number. It outlives this.
  void limit(trace::WorkLimit &limit) { limit_ = &limit; }

  /// What lies ahead, at least a byte of it; empty: nothing. Valid until the next call.
  std::string_view ahead() {
    if (at_ == end_)
      fill();
    return {block_.data() + at_, end_ - at_};
  }
  /// The first bytes of what lies ahead, `bytes` or as many as there are. `bytes` is far below a block's.
  std::string_view start(std::size_t bytes);
  void pass(std::size_t bytes) { at_ += bytes; }
  /// Reads into all of `to`; false: there is not so much left.
  bool read(std::span<char> to);

  /// How many bytes have been passed, as they are unpacked.
  std::uint64_t offset() const { return before_ + at_; }
  /// Whether the file is compressed.
  bool isUnpacked() const { return unpacked_ != nullptr; }
  /// How many bytes of the file have been read, and has it.
  std::uint64_t fileOffset() const;
  std::uint64_t fileBytes() const;

private:
  void fill();
  std::size_t next(std::span<char> to);

  class File;
  std::shared_ptr<File> file_;
  std::unique_ptr<ByteStage> unpacked_; ///< null: the file's own bytes
  std::vector<char> block_;
  std::size_t at_ = 0, end_ = 0;
  std::uint64_t before_ = 0;
  trace::WorkLimit *limit_ = nullptr;
};

} // namespace cupr::analysis

#endif
