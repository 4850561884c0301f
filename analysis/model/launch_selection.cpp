#include "launch_selection.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <stdexcept>

namespace cupr::analysis {

bool LaunchFilter::has(const LaunchInfo &launch) const {
  if (launch_ != 0 && launch_ != static_cast<std::uint64_t>(launch.number))
    return false;
  // std::regex goes down a call for each character, so of endless names only the start is looked at.
  constexpr std::size_t kLongest = 8192;
  const std::string &name = launch.kernel;
  return !hasPattern_ ||
         std::regex_search(name.begin(),
                           name.begin() + static_cast<std::ptrdiff_t>(std::min(name.size(), kLongest)),
                           pattern_);
}

std::string LaunchSelection::text() const {
  std::string text = launch != 0 ? fmt::format("launch {}", launch) : "";
  if (!kernel.empty())
    text += fmt::format("{}kernels that match {}", text.empty() ? "" : ", ", kernel);
  return text;
}

void LaunchSelection::mustSelect(const Model &model) const {
  const LaunchFilter filter(*this);
  if (std::ranges::any_of(model.launches(), [&](const LaunchInfo &info) { return filter.has(info); }))
    return;
  std::set<std::string> kernels;
  for (const LaunchInfo &info : model.launches())
    kernels.insert(info.kernel);
  constexpr std::size_t kMost = 10;
  std::string all;
  std::size_t named = 0;
  for (const std::string &name : kernels)
    if (named++ < kMost)
      all += (all.empty() ? "" : ", ") + name;
  if (named > kMost)
    all += fmt::format(" and {} more", named - kMost);
  throw std::runtime_error(fmt::format("{}: there is no launch for {}; its {} launches are of: {}",
                                       model.path(), text(), model.calls(), all));
}

} // namespace cupr::analysis
