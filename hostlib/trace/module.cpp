/// Takes site tables apart. The blob comes from device memory of the traced program,
/// so every offset in it is checked before use.
#include "module.h"

#include "devicelib/abi/version.h"
#include "field_value.h"

#include <cstring>
#include <unordered_map>
#include <zstd.h>

namespace cupr::trace {

std::optional<std::string> Source::text() const {
  if (packed.empty() || textBytes > kMaxSourceBytes)
    return std::nullopt;
  std::string result(textBytes, '\0');
  const std::size_t size = ZSTD_decompress(result.data(), result.size(), packed.data(), packed.size());
  if (ZSTD_isError(size) || size != textBytes)
    return std::nullopt;
  return result;
}

namespace {

/// Reads the parts of a blob and collects the strings that they name.
class SiteTableParser {
public:
  SiteTableParser(std::span<const std::byte> blob, std::string &error) : blob_(blob), error_(error) {}

  std::optional<Module> parse() {
    if (!readHeader())
      return std::nullopt;
    module_.strings.emplace_back();
    indexOf_.emplace(0, 0);
    for (std::uint32_t i = 0; i < header_.siteCount; ++i)
      if (!readSite(i))
        return std::nullopt;
    for (std::uint32_t i = 0; i < header_.frameCount; ++i)
      if (!readFrame(i))
        return std::nullopt;
    for (std::uint32_t i = 0; i < header_.sourceCount; ++i)
      if (!readSource(i))
        return std::nullopt;
    for (std::uint32_t i = 0; i < header_.sliceCount; ++i)
      if (!readSlice(i))
        return std::nullopt;
    module_.recorded = header_.recorded;
    error_ = brokenModuleRule(module_);
    if (!error_.empty())
      return std::nullopt;
    return std::move(module_);
  }

private:
  bool fail(const char *rule) {
    error_ = rule;
    return false;
  }

  bool inBlob(std::uint64_t offset, std::uint64_t bytes) const {
    return offset <= blob_.size() && bytes <= blob_.size() - offset;
  }

  bool readHeader() {
    if (!inBlob(0, sizeof header_))
      return fail("the site table is shorter than its header");
    std::memcpy(&header_, blob_.data(), sizeof header_);
    if (header_.magic != abi::kSiteTableMagic)
      return fail("the site table does not start with its magic number");
    if (header_.abiVersion != CUPR_ABI_VERSION)
      return fail("the site table is of another ABI version");
    if (!inBlob(0, header_.totalBytes))
      return fail("the site table is shorter than it says");
    blob_ = blob_.first(header_.totalBytes);
    if (!inBlob(header_.siteOffset, std::uint64_t{header_.siteCount} * sizeof(abi::Site)) ||
        !inBlob(header_.frameOffset, std::uint64_t{header_.frameCount} * sizeof(abi::Frame)) ||
        !inBlob(header_.sourceOffset, std::uint64_t{header_.sourceCount} * sizeof(abi::Source)) ||
        !inBlob(header_.sliceOffset, std::uint64_t{header_.sliceCount} * sizeof(abi::SliceHeader)) ||
        !inBlob(header_.stringOffset, header_.stringBytes))
      return fail("a part of the site table lies outside of it");
    return true;
  }

  template <typename T> T element(std::uint32_t offset, std::uint32_t index) const {
    T value;
    std::memcpy(&value, blob_.data() + offset + std::size_t{index} * sizeof(T), sizeof value);
    return value;
  }

  /// Takes `count` elements from `offset` on, and moves it behind them. False: they are not all in the blob.
  template <typename T> bool elements(std::uint64_t &offset, std::uint32_t count, std::vector<T> &to) const {
    const std::uint64_t bytes = std::uint64_t{count} * sizeof(T);
    if (!inBlob(offset, bytes))
      return false;
    to.resize(count);
    if (count != 0)
      std::memcpy(to.data(), blob_.data() + offset, bytes);
    offset += bytes;
    return true;
  }

  bool string(std::uint32_t offset, std::uint32_t &index) {
    const auto known = indexOf_.find(offset);
    if (known != indexOf_.end()) {
      index = known->second;
      return true;
    }
    if (offset >= header_.stringBytes)
      return fail("a string of the site table lies outside of its string pool");
    const char *text = reinterpret_cast<const char *>(blob_.data()) + header_.stringOffset + offset;
    const std::size_t room = header_.stringBytes - offset;
    const std::size_t length = ::strnlen(text, room);
    if (length == room)
      return fail("a string of the site table is not terminated");
    index = static_cast<std::uint32_t>(module_.strings.size());
    module_.strings.emplace_back(text, length);
    indexOf_.emplace(offset, index);
    return true;
  }

  bool readSite(std::uint32_t i) {
    const auto in = element<abi::Site>(header_.siteOffset, i);
    Site site;
    site.line = in.line;
    site.column = in.column;
    site.bytes = in.bytes;
    site.frame = in.frame;
    site.operation = static_cast<abi::Operation>(in.operation);
    site.space = static_cast<abi::SpaceVerdict>(in.space);
    site.flags = in.flags;
    site.order = static_cast<abi::MemoryOrder>(in.order);
    site.scope = static_cast<abi::MemoryScope>(in.scope);
    site.elementBytes = in.elementBytes;
    if (!string(in.file, site.file) || !string(in.function, site.function) || !string(in.type, site.type) ||
        !string(in.sourceType, site.sourceType) || !string(in.layout, site.layout) ||
        !string(in.name, site.name))
      return false;
    module_.sites.push_back(site);
    return true;
  }

  bool readFrame(std::uint32_t i) {
    const auto in = element<abi::Frame>(header_.frameOffset, i);
    Frame frame;
    frame.line = in.line;
    frame.column = in.column;
    frame.parent = in.parent;
    frame.kind = FieldValue<std::uint32_t>{in.kind};
    if (!string(in.file, frame.file) || !string(in.function, frame.function))
      return false;
    module_.frames.push_back(frame);
    return true;
  }

  bool readSource(std::uint32_t i) {
    const auto in = element<abi::Source>(header_.sourceOffset, i);
    Source source;
    source.textBytes = in.textBytes;
    if (!string(in.path, source.path))
      return false;
    if (!inBlob(in.packedOffset, in.packedBytes))
      return fail("a source text of the site table lies outside of it");
    source.packed.assign(reinterpret_cast<const char *>(blob_.data()) + in.packedOffset, in.packedBytes);
    module_.sources.push_back(std::move(source));
    return true;
  }

  bool readSlice(std::uint32_t i) {
    const auto in = element<abi::SliceHeader>(header_.sliceOffset, i);
    Slice slice;
    slice.blockSite = in.blockSite;
    slice.registerCount = in.registerCount;
    std::uint64_t offset = in.offset;
    if (!string(in.kernel, slice.kernel))
      return false;
    if (!elements(offset, in.inputCount, slice.inputs) ||
        !elements(offset, in.constantCount, slice.constants) ||
        !elements(offset, in.instructionCount, slice.code))
      return fail("a slice of the site table lies outside of it");
    module_.slices.push_back(std::move(slice));
    return true;
  }

  std::span<const std::byte> blob_;
  std::string &error_;
  abi::SiteTableHeader header_{};
  Module module_;
  std::unordered_map<std::uint32_t, std::uint32_t> indexOf_; ///< pool offset -> index in strings
};

/// Whether some chain of frames never ends.
bool framesAreEndless(const std::vector<Frame> &frames) {
  enum : unsigned char { Unknown, OnPath, Ends };
  std::vector<unsigned char> state(frames.size(), Unknown);
  std::vector<std::uint32_t> path;
  for (std::uint32_t start = 0; start < frames.size(); ++start) {
    path.clear();
    std::uint32_t frame = start;
    while (frame != abi::kNoFrame && state[frame] == Unknown) {
      state[frame] = OnPath;
      path.push_back(frame);
      frame = frames[frame].parent;
    }
    if (frame != abi::kNoFrame && state[frame] == OnPath)
      return true;
    for (const std::uint32_t done : path)
      state[done] = Ends;
  }
  return false;
}

} // namespace

std::optional<Module> parseSiteTable(std::span<const std::byte> blob, std::string &error) {
  error.clear();
  return SiteTableParser(blob, error).parse();
}

std::string brokenModuleRule(const Module &module) {
  if (module.strings.empty() || !module.strings.front().empty())
    return "the first string of a module must be empty";
  const auto isString = [&](std::uint32_t index) { return index < module.strings.size(); };
  const auto isFrame = [&](std::uint32_t index) {
    return index == abi::kNoFrame || index < module.frames.size();
  };
  for (const Site &site : module.sites) {
    if (!isString(site.file) || !isString(site.function) || !isString(site.type) ||
        !isString(site.sourceType) || !isString(site.layout) || !isString(site.name))
      return "a site names a string that is not there";
    if (!isFrame(site.frame))
      return "a site names a frame that is not there";
    if (static_cast<unsigned>(site.operation) >= abi::kOperationCount)
      return "the operation of a site is unknown";
    if (static_cast<unsigned>(site.space) >= abi::kSpaceVerdicts)
      return "the space verdict of a site is unknown";
    if (static_cast<unsigned>(site.order) >= abi::kMemoryOrders)
      return "the memory order of a site is unknown";
    if (static_cast<unsigned>(site.scope) >= abi::kMemoryScopes)
      return "the memory scope of a site is unknown";
  }
  for (const Frame &frame : module.frames) {
    if (!isString(frame.file) || !isString(frame.function))
      return "a frame names a string that is not there";
    if (!isFrame(frame.parent))
      return "a frame names a parent that is not there";
    if (static_cast<unsigned>(frame.kind) >= abi::kFrameKinds)
      return "the kind of a frame is unknown";
  }
  if (framesAreEndless(module.frames))
    return "a chain of frames has no end";
  for (const Slice &slice : module.slices) {
    if (!isString(slice.kernel))
      return "a slice names a string that is not there";
    if (std::string rule = brokenSliceRule(slice, module.sites.size()); !rule.empty())
      return rule;
  }
  for (const Source &source : module.sources) {
    if (!isString(source.path))
      return "a source names a string that is not there";
    if (source.textBytes > kMaxSourceBytes)
      return "a source text is too long";
  }
  return {};
}

} // namespace cupr::trace
