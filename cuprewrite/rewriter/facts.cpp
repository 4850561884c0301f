/// Bringing the facts of several parses together.
#include "facts.h"

#include <algorithm>
#include <filesystem>

namespace cupr::rewrite {

std::string File::shown() const {
  const bool isElsewhere =
      !located.empty() && std::filesystem::absolute(spelled).lexically_normal() != located;
  return isElsewhere ? located : spelled;
}

FileId Facts::intern(std::string_view path, std::string_view spelled, std::string_view located) {
  for (std::size_t i = 0; i < files.size(); ++i)
    if (files[i].path == path)
      return FileId(i);
  File file;
  file.path = path;
  file.spelled = std::filesystem::path(spelled).lexically_normal().string();
  file.located = located;
  files.push_back(std::move(file));
  return FileId(files.size() - 1);
}

void Facts::add(const Function &function) {
  auto [it, isNew] = functions.emplace(function.key, function);
  if (isNew)
    return;
  Function &known = it->second;
  known.defined |= function.defined;
  known.shared |= function.shared;
  // A macro may make it `__device__` on one side and `__host__` on the other:
  // the copy serves both, so a reason to keep the signature stands.
  if (known.keepReason.empty())
    known.keepReason = function.keepReason;
  known.kind = std::max(known.kind, function.kind);
}

void Facts::merge(const Facts &other) {
  std::vector<FileId> to;
  for (const File &theirs : other.files) {
    const FileId id = intern(theirs.path, theirs.spelled, theirs.located);
    File &ours = file(id);
    if (ours.text.empty())
      ours.text = theirs.text;
    ours.input |= theirs.input;
    ours.nested |= theirs.nested;
    ours.lineMarks.insert(theirs.lineMarks.begin(), theirs.lineMarks.end());
    to.push_back(id);
  }
  std::vector<std::uint32_t> sideTo;
  for (const std::string &side : other.sides) {
    const auto known = std::find(sides.begin(), sides.end(), side);
    sideTo.push_back(static_cast<std::uint32_t>(known - sides.begin()));
    if (known == sides.end())
      sides.push_back(side);
  }
  const auto moved = [&](auto item) {
    item.place.file = to[static_cast<std::size_t>(item.place.file)];
    if (item.place.side < sideTo.size())
      item.place.side = sideTo[item.place.side];
    if constexpr (requires { item.spot; })
      if (item.spot)
        item.spot->file = to[static_cast<std::size_t>(item.spot->file)];
    if constexpr (requires { item.markSpot; })
      if (item.markSpot)
        item.markSpot->file = to[static_cast<std::size_t>(item.markSpot->file)];
    if constexpr (requires { item.endSpot; })
      if (item.endSpot)
        item.endSpot->file = to[static_cast<std::size_t>(item.endSpot->file)];
    return item;
  };
  for (Inclusion inclusion : other.inclusions) {
    inclusion.includer = to[static_cast<std::size_t>(inclusion.includer)];
    inclusion.included = to[static_cast<std::size_t>(inclusion.included)];
    inclusions.insert(inclusion);
  }
  for (const auto &entry : other.functions)
    add(moved(entry.second));
  for (const ParameterList &list : other.parameterLists)
    parameterLists.push_back(moved(list));
  for (const Call &call : other.calls)
    calls.push_back(moved(call));
  for (const Launch &launch : other.launches)
    launches.push_back(moved(launch));
  for (const Allocation &allocation : other.allocations)
    allocations.push_back(moved(allocation));
  for (const Use &use : other.uses)
    uses.insert(moved(use));
  for (const Instantiation &instantiation : other.instantiations)
    instantiations.push_back(moved(instantiation));
  outsideRoot.insert(other.outsideRoot.begin(), other.outsideRoot.end());
}

} // namespace cupr::rewrite
