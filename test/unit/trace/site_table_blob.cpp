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
                                   std::uint32_t parent) {
  frames_.push_back({string(file), line, 3, string(function), parent});
  return static_cast<std::uint32_t>(frames_.size() - 1);
}

void SiteTableBlob::source(const std::string &path, const std::string &text) {
  sources_.emplace_back(string(path), text);
}

std::vector<std::byte> SiteTableBlob::bytes() const {
  abi::SiteTableHeader header{};
  header.magic = abi::kSiteTableMagic;
  header.abiVersion = CUPR_ABI_VERSION;
  header.siteCount = static_cast<std::uint32_t>(sites_.size());
  header.frameCount = static_cast<std::uint32_t>(frames_.size());
  header.sourceCount = static_cast<std::uint32_t>(sources_.size());
  header.siteOffset = sizeof header;
  header.frameOffset = header.siteOffset + header.siteCount * sizeof(abi::Site);
  header.sourceOffset = header.frameOffset + header.frameCount * sizeof(abi::Frame);
  header.stringOffset = header.sourceOffset + header.sourceCount * sizeof(abi::Source);
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
  header.totalBytes = static_cast<std::uint32_t>(header.stringOffset + pool_.size() + packed.size());
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
  return blob;
}

} // namespace cupr::test
