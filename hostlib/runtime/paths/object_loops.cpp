#include "object_loops.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace cupr::host {
namespace {

/// Longer tables are not read: some 100,000 loops.
constexpr std::size_t kMostSectionBytes = std::size_t{1} << 24;

/// The texts of a table, by file.
using Texts = std::map<std::string_view, std::vector<std::string_view>>;

Texts readTable(std::span<const std::byte> section) {
  Texts texts;
  std::string_view rest(reinterpret_cast<const char *>(section.data()), section.size());
  while (!rest.empty()) {
    const std::string_view text = rest.substr(0, rest.find('\0'));
    rest.remove_prefix(std::min(text.size() + 1, rest.size())); // linkers put zeros between tables
    if (const std::size_t tab = text.find('\t'); tab != text.npos)
      texts[text.substr(tab + 1)].push_back(text);
  }
  return texts;
}

/// The file of the table that frames name in this way. Debug information may have a path from the folder in which the file was compiled,
/// the table has whole ones: a path's end says which, if it is one's alone.
Texts::const_iterator fileOf(const Texts &texts, const std::string &named) {
  const std::filesystem::path plain = std::filesystem::path(named).lexically_normal();
  if (plain.is_absolute())
    return texts.find(plain.string());
  std::filesystem::path end = "/";
  for (const std::filesystem::path &part : plain)
    if (part != "..")
      end /= part;
  auto found = texts.end();
  for (auto file = texts.begin(); file != texts.end(); ++file)
    if (file->first.ends_with(end.string())) {
      if (found != texts.end())
        return texts.end();
      found = file;
    }
  return found;
}

abi::LoopNest nestOf(const std::vector<std::string_view> &texts) {
  std::vector<abi::SourceLoop> loops;
  abi::SourceLoop loop{};
  std::string file;
  for (const std::string_view text : texts)
    if (abi::readLoop(std::string(text), loop, file))
      loops.push_back(loop);
  return abi::LoopNest(std::move(loops));
}

} // namespace

std::vector<trace::HostLoop> loopsAround(std::span<const trace::HostPlace> places, ElfImage &image) {
  std::vector<trace::HostLoop> found;
  const ElfImage::Section *const section = image.section(abi::kLoopSection);
  if (!section || section->header.sh_size > kMostSectionBytes)
    return found;
  std::map<std::string, std::vector<abi::SourcePoint>> points; // by file, as frames name it
  for (const trace::HostPlace &place : places)
    for (const trace::HostFrame &frame : place.frames)
      if (frame.line != 0)
        points[frame.file].push_back({frame.line, frame.column});
  const Texts texts = readTable(image.contents(*section));
  for (const auto &[file, of] : points) {
    const auto known = fileOf(texts, file);
    if (known == texts.end())
      continue;
    const abi::LoopNest nest = nestOf(known->second);
    std::set<std::size_t> around;
    for (const abi::SourcePoint point : of)
      nest.around(point, [&](std::size_t index) {
        around.insert(index);
        return true;
      });
    for (const std::size_t index : around)
      found.push_back({file, /*isOfDevice=*/false, nest.loops()[index]});
  }
  return found;
}

} // namespace cupr::host
