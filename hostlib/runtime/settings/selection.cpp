#include "selection.h"

#include "devicelib/abi/version.h"
#include "hostlib/runtime/driver/message.h"

#include <set>

namespace cupr::host {
namespace {

std::atomic<bool> recording{true};

} // namespace

std::optional<std::regex> parseExpression(const char *setting, const std::string &text) {
  if (text.empty())
    return std::nullopt;
  try {
    return std::regex(text, std::regex::ECMAScript | std::regex::optimize);
  } catch (const std::regex_error &error) {
    message("{} is '{}', which is no regular expression ({}); it chooses everything", setting, text,
            error.what());
    return std::nullopt;
  }
}

Selection::Selection(const Settings &settings)
    : settings_(settings), kernels_(parseExpression("CUPR_KERNELS", settings.kernels)) {
  if (!settings.recordFromStart)
    setRecording(false);
}

bool Selection::namesKernel(const std::string &demangledKernel) {
  if (!kernels_)
    return true;
  const std::scoped_lock lock(mutex_);
  const auto [known, fresh] = known_.try_emplace(demangledKernel);
  if (fresh)
    known->second = std::regex_search(trace::partOf(demangledKernel, settings_.kernelName), *kernels_);
  return known->second;
}

std::string Selection::reasonAgainst(const std::string &demangledKernel) {
  if (!recording.load(std::memory_order_relaxed)) {
    sawUnwanted_.store(true, std::memory_order_relaxed);
    return "recording is switched off";
  }
  wasRecording_.store(true, std::memory_order_relaxed);
  if (!namesKernel(demangledKernel))
    return "CUPR_KERNELS does not name it";
  if (!insideNvtxRange()) {
    sawOutsideRange_.store(true, std::memory_order_relaxed);
    return "it is outside the NVTX ranges that CUPR_NVTX names";
  }
  const std::uint64_t number = launches_.fetch_add(1, std::memory_order_relaxed);
  if (number < settings_.launchSkip)
    return "CUPR_LAUNCHES skips it";
  if (number - settings_.launchSkip >= settings_.launchCount)
    return "CUPR_LAUNCHES ends before it";
  return "";
}

std::string Selection::whyNothing() {
  const std::uint64_t candidates = launches_;
  if (candidates > settings_.launchSkip && settings_.launchCount != 0)
    return "";
  if (candidates != 0)
    return fmt::format(
        "CUPR_LAUNCHES skips {} and traces {}, and the other filters chose {}", settings_.launchSkip,
        settings_.launchCount == UINT64_MAX ? "the rest" : std::to_string(settings_.launchCount), candidates);
  if (sawOutsideRange_)
    return fmt::format("none was made inside an NVTX range that CUPR_NVTX ('{}') names",
                       Settings::textFromEnvironment(abi::SettingName::CUPR_NVTX));
  if (!wasRecording_)
    return sawUnwanted_ ? "recording was never switched on (CUPR_START is off; cuprStart() or "
                          "cudaProfilerStart() switches it on)"
                        : "";
  constexpr std::size_t kMostNames = 20;
  const std::scoped_lock lock(mutex_);
  std::set<std::string> names;
  for (const auto &[name, isNamed] : known_)
    names.insert(trace::partOf(name, settings_.kernelName));
  if (names.empty())
    return "";
  std::string list;
  std::size_t count = 0;
  for (const std::string &name : names)
    if (count++ < kMostNames)
      list += (list.empty() ? "" : ", ") + name;
  if (count > kMostNames)
    list += fmt::format(" and {} more", count - kMostNames);
  return fmt::format("CUPR_KERNELS ('{}') names none of the kernels, which are {}", settings_.kernels, list);
}

void setRecording(bool on) { recording.store(on, std::memory_order_relaxed); }

} // namespace cupr::host

extern "C" {
void CUPR_VERSIONED(cuprStartRecording_v)() { cupr::host::setRecording(true); }
void CUPR_VERSIONED(cuprStopRecording_v)() { cupr::host::setRecording(false); }
}
