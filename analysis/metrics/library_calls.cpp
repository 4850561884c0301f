#include "library_calls.h"

#include "call_sites.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace cupr::analysis {

bool isOfLibrary(std::string_view file) {
  static constexpr std::string_view kFolders[] = {"/cccl/", "/cub/",     "/thrust/",
                                                  "/cute/", "/cutlass/", "/libcudacxx/"};
  return std::ranges::any_of(kFolders,
                             [&](std::string_view folder) { return file.find(folder) != file.npos; });
}

namespace {

/// By name, of the kernels of findings in libraries.
std::map<std::string_view, CallSite> callsOfKernels(const std::vector<Finding> &findings, const Model &model,
                                                    CallSites &sites) {
  std::set<std::string_view> kernels;
  for (const Finding &finding : findings)
    if (isInLibrary(finding))
      kernels.insert(finding.kernel);
  std::map<std::string_view, std::map<CallSite, std::size_t>> launches;
  if (!kernels.empty())
    for (const LaunchInfo &launch : model.launches())
      if (kernels.contains(launch.kernel))
        ++launches[launch.kernel][sites.of(launch)];
  std::map<std::string_view, CallSite> calls;
  for (const auto &[kernel, of] : launches)
    calls.emplace(kernel,
                  std::ranges::max_element(of, {}, [](const auto &call) { return call.second; })->first);
  return calls;
}

} // namespace

void foldLibraries(std::vector<Finding> &findings, const Model &model, CallSites &sites) {
  const std::map<std::string_view, CallSite> calls = callsOfKernels(findings, model, sites);
  std::map<std::tuple<FindingRule, std::string, std::uint32_t, std::string>, Finding> folded;
  std::erase_if(findings, [&](Finding &finding) {
    const auto call = calls.find(finding.kernel);
    if (!isInLibrary(finding) || call == calls.end() || call->second.file.empty() ||
        isOfLibrary(call->second.file))
      return false;
    finding.file = call->second.file;
    finding.line = call->second.line;
    finding.column = 0;
    finding.operation = "";
    finding.expression = "";
    finding.path = call->second.path;
    finding.title = "In a library's kernel that is launched here: " + finding.title;
    finding.advice += " The code is the library's, and does as it is told: change what it is given, or what "
                      "it is asked for.";
    const auto [known, isNew] =
        folded.try_emplace({finding.rule, finding.file, finding.line, finding.path}, finding);
    if (isNew)
      return true;
    Finding &sum = known->second;
    if (finding.amount > sum.amount)
      std::swap(sum, finding);
    sum.amount += finding.amount;
    sum.share += finding.share;
    sum.seconds += finding.seconds;
    sum.warpAccesses += finding.warpAccesses;
    return true;
  });
  for (auto &[place, finding] : folded)
    findings.push_back(std::move(finding));
}

} // namespace cupr::analysis
