/// Which launches are traced, and which of their blocks: the user's choice. Launches
/// that are not chosen run the plain kernel, and are in the trace as launches.
///
///     CUPR_KERNELS    kernels whose name, or what CUPR_KERNEL_NAME says of it, holds a match of the regular
///                     expression: `demangled` as it is, `qualified` without types, `function` without scopes
///                     too
///     CUPR_NVTX       launches made inside an NVTX range whose name matches
///     CUPR_START      whether recording is on when the program starts; cuprStart and
///                     cuprStop (control.h), cudaProfilerStart and cudaProfilerStop switch it
///     CUPR_LAUNCHES   of the launches that the above choose: skip some, then trace so many
///     CUPR_CTAS, CUPR_SAMPLE   which blocks of a launch
///
/// Threads: all members from any thread.
#ifndef CUPR_RUNTIME_SELECTION_H
#define CUPR_RUNTIME_SELECTION_H

#include "devicelib/abi/trace_argument.h"
#include "settings.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <regex>
#include <string>
#include <unordered_map>

namespace cupr::host {

class Selection {
public:
  /// Says on stderr which expression of the settings is none; it then chooses everything.
  explicit Selection(const Settings &settings);

  /// Decides on the launch that the calling thread is making, and counts it. Returns why it is not traced;
  /// empty: it is.
  std::string reasonAgainst(const std::string &demangledKernel);

  /// Why the filters have chosen no launch of those that there were; empty: they have chosen some, or there
  /// were none.
  std::string whyNothing();

  const trace::CtaSelection &blocks() const { return settings_.ctas; }

private:
  bool namesKernel(const std::string &demangledKernel);

  const Settings settings_;
  std::optional<std::regex> kernels_;
  std::mutex mutex_;
  std::unordered_map<std::string, bool> known_; ///< by kernel: whether CUPR_KERNELS names it
  std::atomic<std::uint64_t> launches_{0};      ///< that all filters but CUPR_LAUNCHES choose
  std::atomic<bool> wasRecording_{false};       ///< when a launch was made
  std::atomic<bool> sawUnwanted_{false};        ///< a launch while recording was off
  std::atomic<bool> sawOutsideRange_{false};    ///< a launch that only CUPR_NVTX was against
};

/// Switches recording on or off, for the whole process.
void setRecording(bool on);

/// Whether the calling thread is inside an NVTX range that CUPR_NVTX names (nvtx.cpp); true
/// when it is not set.
bool insideNvtxRange();

/// The expression of a setting; nothing when the text is empty or, with a message, malformed.
std::optional<std::regex> parseExpression(const char *setting, const std::string &text);

} // namespace cupr::host

#endif
