#include "selection.h"

#include "devicelib/abi/version.h"
#include "hostlib/trace/function_name.h"
#include "message.h"

namespace cupr::host {
namespace {

std::atomic<bool> recording{true};

std::string partOf(const std::string &demangledKernel, Settings::KernelName part) {
  switch (part) {
  case Settings::KernelName::Function:
    return trace::baseName(demangledKernel);
  case Settings::KernelName::Qualified:
    return trace::shortName(demangledKernel);
  case Settings::KernelName::Demangled:
    break;
  }
  return demangledKernel;
}

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
    known->second = std::regex_search(partOf(demangledKernel, settings_.kernelName), *kernels_);
  return known->second;
}

std::string Selection::reasonAgainst(const std::string &demangledKernel) {
  if (!recording.load(std::memory_order_relaxed))
    return "recording is switched off";
  if (!namesKernel(demangledKernel))
    return "CUPR_KERNELS does not name it";
  if (!insideNvtxRange())
    return "it is outside the NVTX ranges that CUPR_NVTX names";
  const std::uint64_t number = launches_.fetch_add(1, std::memory_order_relaxed);
  if (number < settings_.launchSkip)
    return "CUPR_LAUNCHES skips it";
  if (number - settings_.launchSkip >= settings_.launchCount)
    return "CUPR_LAUNCHES ends before it";
  return "";
}

void setRecording(bool on) { recording.store(on, std::memory_order_relaxed); }

} // namespace cupr::host

extern "C" {
void CUPR_VERSIONED(cuprStartRecording_v)() { cupr::host::setRecording(true); }
void CUPR_VERSIONED(cuprStopRecording_v)() { cupr::host::setRecording(false); }
}
