#include "object_loops.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace cupr::host {
namespace {

/// Longer tables are not read: some 100,000 loops.
constexpr std::size_t kMostBytes = std::size_t{1} << 24;

/// By file, of those that are asked for.
using Extents = std::map<std::string, std::vector<abi::SourceLoop>>;

void readTable(std::span<const std::byte> section, Extents &to) {
  std::string_view rest(reinterpret_cast<const char *>(section.data()), section.size());
  abi::SourceLoop loop{};
  std::string file;
  while (!rest.empty()) {
    const std::string_view text = rest.substr(0, rest.find('\0'));
    rest.remove_prefix(std::min(text.size() + 1, rest.size())); // linkers put zeros between tables
    const std::size_t tab = text.find('\t');
    if (tab == text.npos)
      continue;
    if (const auto wanted = to.find(std::string(text.substr(tab + 1)));
        wanted != to.end() && abi::readLoop(std::string(text), loop, file))
      wanted->second.push_back(loop);
  }
}

/// As the table has it.
std::string plainPath(const std::string &file) {
  return std::filesystem::path(file).lexically_normal().string();
}

} // namespace

std::vector<trace::HostLoop> loopsAround(std::span<const trace::HostPlace> places, ElfImage &image) {
  std::vector<trace::HostLoop> found;
  const ElfImage::Section *const section = image.section(abi::kLoopSection);
  if (!section || section->header.sh_size > kMostBytes)
    return found;
  std::map<std::string, std::vector<abi::SourcePoint>> points; // by file, as frames name it
  for (const trace::HostPlace &place : places)
    for (const trace::HostFrame &frame : place.frames)
      if (frame.line != 0)
        points[frame.file].push_back({frame.line, frame.column});
  Extents extents;
  for (const auto &[file, of] : points)
    extents[plainPath(file)];
  readTable(image.contents(*section), extents);
  std::map<std::string, abi::LoopNest> nests;
  for (auto &[file, loops] : extents)
    nests.try_emplace(file, std::move(loops));
  for (const auto &[file, of] : points) {
    const abi::LoopNest &nest = nests.at(plainPath(file));
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
