#include "open_trace.h"

#include "analysis/model/names.h"

#include <algorithm>

namespace cupr::analysis {

OpenTrace::OpenTrace(const std::string &path)
    : model_(path), references_(model_), zones_(model_), totals_(model_) {}

std::span<const std::pair<std::uint64_t, std::size_t>> OpenTrace::launchesOf(std::uint64_t id) {
  if (launchesById_.empty()) {
    for (std::size_t i = 0; i < model_.launches().size(); ++i)
      launchesById_.emplace_back(static_cast<std::uint64_t>(model_.launches()[i].launch.id), i);
    std::ranges::sort(launchesById_);
  }
  return std::ranges::equal_range(launchesById_, id, {}, &std::pair<std::uint64_t, std::size_t>::first);
}

const std::string &OpenTrace::functionName(const trace::Module &module, std::uint32_t text) {
  const std::string &mangled = module.strings[text];
  const auto found = functions_.find(&mangled);
  return found != functions_.end() ? found->second
                                   : functions_.emplace(&mangled, userName(mangled)).first->second;
}

} // namespace cupr::analysis
