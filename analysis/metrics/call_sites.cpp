#include "call_sites.h"

#include "library_calls.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace cupr::analysis {

namespace {

/// Of the templates in which calls of the API are wrapped.
constexpr std::string_view kToolkitHeader = "cuda_runtime.h";

CallSite siteOf(std::vector<PathFrame> frames) {
  const auto main = std::ranges::find(frames, "main", &PathFrame::function);
  if (main != frames.end())
    frames.erase(frames.begin(), main);
  while (frames.size() > 1 &&
         (frames.back().file.ends_with(kToolkitHeader) || isOfLibrary(frames.back().file) ||
          frames.back().function.find(kLaunchStub) != std::string_view::npos))
    frames.pop_back();
  CallSite site;
  for (const PathFrame &frame : frames) {
    site.path += site.path.empty() ? "" : " > ";
    site.path += frame.function;
  }
  site.file = frames.back().file;
  site.line = frames.back().line;
  return site;
}

} // namespace

const CallSite &CallSites::of(std::uint64_t order) {
  static const CallSite kUnknown;
  const std::optional<std::uint64_t> call = paths_.callOf(order);
  const std::uint32_t node = call ? model_.host().calls[*call].node : trace::kNoHostIndex;
  if (node == trace::kNoHostIndex)
    return kUnknown;
  const auto [known, isNew] = sites_.try_emplace(node);
  if (isNew)
    known->second = siteOf(paths_.pathTo(node));
  return known->second;
}

CallSite CallSites::of(const LaunchInfo &launch) {
  CallSite site = of(launch.launch.order);
  if (!launch.launch.file.empty() && (site.file.empty() || !isOfLibrary(launch.launch.file))) {
    site.file = launch.launch.file;
    site.line = launch.launch.line;
  }
  return site;
}

} // namespace cupr::analysis
