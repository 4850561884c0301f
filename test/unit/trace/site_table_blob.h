/// Makes site tables as the pass does, so that tests feed the writer what it gets in
/// earnest.
#ifndef CUPR_TEST_SITE_TABLE_BLOB_H
#define CUPR_TEST_SITE_TABLE_BLOB_H

#include "devicelib/abi/operation.h"
#include "devicelib/abi/site_table.h"

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace cupr::test {

class SiteTableBlob {
public:
  /// Returns the site's index.
  std::uint32_t site(abi::Operation operation, std::uint32_t bytes, const std::string &file = "a.cu",
                     std::uint32_t line = 1, const std::string &function = "kernel(int*)",
                     std::uint32_t frame = abi::kNoFrame);
  /// Of the last site; the default is proven to be global.
  void space(abi::SpaceVerdict verdict, std::uint16_t flags = 0);
  /// Of the last site.
  void order(abi::MemoryOrder order, abi::MemoryScope scope) {
    sites_.back().order = static_cast<std::uint8_t>(order);
    sites_.back().scope = static_cast<std::uint8_t>(scope);
  }
  /// LLVM's, of the last site.
  void type(const std::string &text) { sites_.back().type = string(text); }
  /// Of the last site, a variable.
  void name(const std::string &text, std::uint16_t elementBytes) {
    sites_.back().name = string(text);
    sites_.back().elementBytes = elementBytes;
  }
  /// The program's, of the last site.
  void sourceType(const std::string &text, const std::string &layout) {
    sites_.back().sourceType = string(text);
    sites_.back().layout = string(layout);
  }
  /// Of the last site.
  void column(std::uint32_t column) { sites_.back().column = column; }
  std::uint32_t frame(const std::string &file, std::uint32_t line, const std::string &function,
                      std::uint32_t parent = abi::kNoFrame, abi::FrameKind kind = abi::FrameKind::Inlined);
  /// abi::kRecords...
  void recorded(std::uint16_t what) { recorded_ = what; }
  /// All frames of the table, to change them.
  std::vector<abi::Frame> &frames() { return frames_; }
  /// `text` is packed with zstd.
  void source(const std::string &path, const std::string &text);

  /// Returns the slice's index. Its numbers of inputs, constants and instructions are set here.
  std::uint32_t slice(const std::string &kernel, abi::SliceHeader header, std::vector<abi::SliceInput> inputs,
                      std::vector<std::uint64_t> constants, std::vector<abi::SliceInstruction> code);

  std::vector<std::byte> bytes() const;

private:
  std::uint32_t string(const std::string &text);

  std::uint16_t recorded_ = 0;
  std::vector<abi::Site> sites_;
  std::vector<abi::Frame> frames_;
  std::vector<std::pair<std::uint32_t, std::string>> sources_;
  struct Slice {
    abi::SliceHeader header;
    std::vector<abi::SliceInput> inputs;
    std::vector<std::uint64_t> constants;
    std::vector<abi::SliceInstruction> code;
  };
  std::vector<Slice> slices_;
  std::string pool_ = std::string(1, '\0');
  std::map<std::string, std::uint32_t> known_;
};

} // namespace cupr::test

#endif
