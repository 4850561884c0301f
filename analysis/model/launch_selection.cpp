#include "launch_selection.h"

#include <algorithm>
#include <fmt/format.h>
#include <regex>
#include <set>
#include <stdexcept>
#include <vector>

namespace cupr::analysis {

namespace {

bool matches(const std::string &name, const std::optional<std::regex> &pattern) {
  // std::regex goes down a call for each character, so of endless names only the start is looked at.
  constexpr std::size_t kLongest = 8192;
  return !pattern ||
         std::regex_search(name.begin(),
                           name.begin() + static_cast<std::ptrdiff_t>(std::min(name.size(), kLongest)),
                           *pattern);
}

std::string whatThereIs(const Model &model) {
  std::set<std::string> kernels;
  for (const LaunchInfo &info : model.launches())
    kernels.insert(info.kernel);
  if (kernels.empty())
    return "it has no launches";
  constexpr std::size_t kMost = 10;
  std::string all;
  std::size_t named = 0;
  for (const std::string &name : kernels)
    if (named++ < kMost)
      all += (all.empty() ? "" : ", ") + name;
  if (named > kMost)
    all += fmt::format(" and {} more", named - kMost);
  return fmt::format("its {} launches are of: {}", model.calls(), all);
}

} // namespace

std::string LaunchSelection::text() const {
  std::vector<std::string> parts;
  if (launch != 0)
    parts.push_back(fmt::format("launch {}", launch));
  if (!kernel.empty())
    parts.push_back("kernels that match " + kernel);
  if (!kernelName.empty())
    parts.push_back("kernel " + kernelName);
  if (skip != 0)
    parts.push_back(fmt::format("launches behind the first {}", skip));
  if (count != UINT64_MAX)
    parts.push_back(fmt::format("at most {} launches", count));
  return fmt::format("{}", fmt::join(parts, ", "));
}

LaunchFilter::LaunchFilter(const LaunchSelection &selection, const Model &model) : text_(selection.text()) {
  if (selection.isAll())
    return;
  std::optional<std::regex> anywhere, named;
  if (!selection.kernel.empty())
    anywhere = selection.kernel;
  trace::NamePart part{};
  if (!selection.kernelName.empty()) {
    const trace::KernelChoice choice = trace::kernelChoice(selection.kernelName, selection.namePart);
    part = trace::namePart(choice.part);
    named = choice.expression;
  }
  numbers_.emplace();
  std::uint64_t left = selection.skip;
  for (const LaunchInfo &info : model.launches()) {
    const auto number = static_cast<std::uint64_t>(info.number);
    if (info.phase != 0 || (selection.launch != 0 && selection.launch != number) ||
        !matches(info.kernel, anywhere) || (named && !matches(trace::partOf(info.kernel, part), named)))
      continue;
    if (left != 0)
      --left;
    else if (numbers_->size() < selection.count)
      numbers_->insert(number);
  }
  if (numbers_->empty())
    throw std::runtime_error(
        fmt::format("{}: there is no launch for {}; {}", model.path(), text_, whatThereIs(model)));
}

} // namespace cupr::analysis
