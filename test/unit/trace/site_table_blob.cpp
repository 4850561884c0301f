/// Lays the parts out one behind the other, as abi/site_table.h draws them.
#include "site_table_blob.h"

#include "devicelib/abi/version.h"

#include <cstring>
#include <zstd.h>

namespace cupr::test {

std::uint32_t SiteTableBlob::string(const std::string &text) {
  if (text.empty())
    return 0;
  const auto [entry, fresh] = known_.emplace(text, static_cast<std::uint32_t>(pool_.size()));
  if (fresh)
    pool_ += text + '\0';
  return entry->second;
}

std::uint32_t SiteTableBlob::site(abi::Operation operation, std::uint32_t bytes, const std::string &file,
                                  std::uint32_t line, const std::string &function, std::uint32_t frame) {
  abi::Site site{};
  site.file = string(file);
  site.line = line;
  site.column = 7;
  site.function = string(function);
  site.type = string("i" + std::to_string(8 * bytes));
  site.bytes = bytes;
  site.frame = frame;
  site.operation = static_cast<std::uint8_t>(operation);
  sites_.push_back(site);
  return static_cast<std::uint32_t>(sites_.size() - 1);
}

void SiteTableBlob::space(abi::SpaceVerdict verdict, std::uint16_t flags) {
  sites_.back().space = static_cast<std::uint8_t>(verdict);
  sites_.back().flags = flags;
}

std::uint32_t SiteTableBlob::frame(const std::string &file, std::uint32_t line, const std::string &function,
                                   std::uint32_t parent, abi::FrameKind kind) {
  frames_.push_back({string(file), line, 3, string(function), parent, static_cast<std::uint32_t>(kind)});
  return static_cast<std::uint32_t>(frames_.size() - 1);
}

void SiteTableBlob::source(const std::string &path, const std::string &text) {
  sources_.emplace_back(string(path), text);
}

std::uint32_t SiteTableBlob::slice(const std::string &kernel, abi::SliceHeader header,
                                   std::vector<abi::SliceInput> inputs, std::vector<std::uint64_t> constants,
                                   std::vector<abi::SliceInstruction> code) {
  header.kernel = string(kernel);
  header.inputCount = static_cast<std::uint32_t>(inputs.size());
  header.constantCount = static_cast<std::uint32_t>(constants.size());
  header.instructionCount = static_cast<std::uint32_t>(code.size());
  slices_.push_back({header, std::move(inputs), std::move(constants), std::move(code)});
  return static_cast<std::uint32_t>(slices_.size() - 1);
}

std::vector<std::byte> SiteTableBlob::bytes() const {
  abi::SiteTableHeader header{};
  header.magic = abi::kSiteTableMagic;
  header.abiVersion = CUPR_ABI_VERSION;
  header.recorded = recorded_;
  header.siteCount = static_cast<std::uint32_t>(sites_.size());
  header.frameCount = static_cast<std::uint32_t>(frames_.size());
  header.sourceCount = static_cast<std::uint32_t>(sources_.size());
  header.siteOffset = sizeof header;
  header.frameOffset = header.siteOffset + header.siteCount * sizeof(abi::Site);
  header.sourceOffset = header.frameOffset + header.frameCount * sizeof(abi::Frame);
  header.sliceCount = static_cast<std::uint32_t>(slices_.size());
  header.sliceOffset = header.sourceOffset + header.sourceCount * sizeof(abi::Source);
  header.stringOffset = header.sliceOffset + header.sliceCount * sizeof(abi::SliceHeader);
  header.stringBytes = static_cast<std::uint32_t>(pool_.size());
  std::string packed;
  std::vector<abi::Source> sources;
  for (const auto &[path, text] : sources_) {
    std::string out(ZSTD_compressBound(text.size()), '\0');
    out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
    const auto offset = static_cast<std::uint32_t>(header.stringOffset + pool_.size() + packed.size());
    sources.push_back(
        {path, static_cast<std::uint32_t>(text.size()), static_cast<std::uint32_t>(out.size()), offset});
    packed += out;
  }
  std::string parts; // of slices, behind all else
  std::vector<abi::SliceHeader> sliceHeaders;
  for (const Slice &slice : slices_) {
    const auto append = [&](const void *from, std::size_t size) {
      parts.append(static_cast<const char *>(from), size);
    };
    sliceHeaders.push_back(slice.header);
    sliceHeaders.back().offset =
        static_cast<std::uint32_t>(header.stringOffset + pool_.size() + packed.size() + parts.size());
    append(slice.inputs.data(), slice.inputs.size() * sizeof(abi::SliceInput));
    append(slice.constants.data(), slice.constants.size() * sizeof(std::uint64_t));
    append(slice.code.data(), slice.code.size() * sizeof(abi::SliceInstruction));
  }
  header.totalBytes =
      static_cast<std::uint32_t>(header.stringOffset + pool_.size() + packed.size() + parts.size());
  std::vector<std::byte> blob(header.totalBytes);
  const auto put = [&](std::size_t offset, const void *from, std::size_t size) {
    if (size != 0)
      std::memcpy(blob.data() + offset, from, size);
  };
  put(0, &header, sizeof header);
  put(header.siteOffset, sites_.data(), sites_.size() * sizeof(abi::Site));
  put(header.frameOffset, frames_.data(), frames_.size() * sizeof(abi::Frame));
  put(header.sourceOffset, sources.data(), sources.size() * sizeof(abi::Source));
  put(header.stringOffset, pool_.data(), pool_.size());
  put(header.stringOffset + pool_.size(), packed.data(), packed.size());
  put(header.sliceOffset, sliceHeaders.data(), sliceHeaders.size() * sizeof(abi::SliceHeader));
  put(header.stringOffset + pool_.size() + packed.size(), parts.data(), parts.size());
  return blob;
}

} // namespace cupr::test
