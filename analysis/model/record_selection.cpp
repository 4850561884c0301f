#include "record_selection.h"

#include <charconv>
#include <fmt/format.h>
#include <set>
#include <stdexcept>

namespace cupr::analysis {

bool isEndOfPath(std::string_view path, std::string_view end) {
  return path.ends_with(end) && (path.size() == end.size() || path[path.size() - end.size() - 1] == '/');
}

std::string RecordSelection::text() const {
  std::vector<std::string> parts;
  if (!block.empty())
    parts.push_back("block " + block);
  if (!file.empty())
    parts.push_back("file " + file);
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::vector<std::uint64_t> blockNumbers(const std::string &text) {
  std::vector<std::uint64_t> numbers;
  const char *at = text.data(), *const end = at + text.size();
  while (at != end) {
    std::uint64_t number = 0;
    const auto [behind, error] = std::from_chars(at, end, number);
    const bool isLast = behind == end;
    if (error != std::errc() || numbers.size() == 3 || (!isLast && (*behind != ',' || behind + 1 == end)))
      throw std::invalid_argument("give a number or x,y,z, not '" + text + "'");
    numbers.push_back(number);
    at = isLast ? end : behind + 1;
  }
  return numbers;
}

bool isBlock(const std::vector<std::uint64_t> &numbers, const trace::Dim3 &grid, std::uint64_t cta) {
  if (numbers.size() <= 1)
    return numbers.empty() || cta == numbers[0];
  const trace::Dim3 place = placeInGrid(grid, cta);
  return place.x == numbers[0] && place.y == numbers[1] && place.z == (numbers.size() == 3 ? numbers[2] : 0);
}

RecordFilter::RecordFilter(const RecordSelection &selection, const Model &model)
    : block_(blockNumbers(selection.block)), anyFile_(selection.file.empty()) {
  if (anyFile_)
    return;
  std::set<std::string> files;
  bool isThere = false;
  for (const trace::Module &module : model.modules()) {
    std::vector<bool> &selected = sites_.emplace_back();
    for (const trace::Site &site : module.sites) {
      const std::string &file = module.strings[site.file];
      selected.push_back(site.file != 0 && isEndOfPath(file, selection.file));
      isThere = isThere || selected.back();
      if (constexpr std::size_t kMost = 10; files.size() < kMost && site.file != 0)
        files.insert(file);
    }
  }
  if (!isThere)
    throw std::runtime_error(fmt::format("{}: no access is in a file {}; there are: {}", model.path(),
                                         selection.file, fmt::join(files, ", ")));
}

bool RecordFilter::has(const LaunchInfo &launch, const Record &record) const {
  if (!anyFile_ && !sites_[static_cast<std::size_t>(launch.launch.module)][record.access.site])
    return false;
  return isBlock(block_, launch.launch.grid, record.access.cta);
}

} // namespace cupr::analysis
