#include "settings.h"

#include "devicelib/abi/queue.h"
#include "devicelib/abi/stage.h"
#include "hostlib/runtime/driver/message.h"
#include "hostlib/runtime/driver/program_path.h"
#include "hostlib/trace/output.h"
#include "hostlib/trace/setting_value.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <optional>
#include <sys/auxv.h>
#include <thread>
#include <tuple>
#include <unistd.h>
#include <utility>
#include <vector>

/// Defined (as any address but null) by the linker flag that `cupr++ --no-trace` adds.
extern "C" const char cuprTraceDisabled __attribute__((weak));

namespace cupr::host {
namespace {

using abi::SettingName;
using enum abi::SettingName;

/// Reads variables one by one, and says which of them make no sense. A variable that is not set, or empty, is
/// not looked at.
class Environment {
public:
  /// The variable's text, or nothing.
  std::optional<std::string> text(SettingName name) {
    const abi::Setting &setting = abi::settingOf(name);
    std::string text = Settings::textFromEnvironment(name);
    if (text.empty())
      return std::nullopt;
    const std::string expected = trace::unmetExpectation(setting, text);
    if (expected.empty())
      return text;
    message("{} is '{}': expected {}; nothing is traced", setting.variable, text, expected);
    isGood_ = false;
    return std::nullopt;
  }

  /// A number, a size or a switch.
  template <typename Value> void number(SettingName name, Value &value) {
    if (const auto said = text(name))
      value = static_cast<Value>(*abi::settingNumber(abi::settingOf(name), *said));
  }

  bool isGood() const { return isGood_; }

private:
  bool isGood_ = true;
};

/// Reads what is to be recorded.
void readSelection(Environment &environment, Settings &settings) {
  settings.kernels = environment.text(CUPR_KERNELS).value_or("");
  environment.text(CUPR_NVTX);
  if (const auto name = environment.text(CUPR_KERNEL_NAME))
    settings.kernelName = trace::namePart(*name);
  environment.number(CUPR_START, settings.recordFromStart);
  if (const auto check = environment.text(CUPR_CHECK))
    settings.check = *check == "stop" ? LiveChecking::Stop
                     : *check == "go" ? LiveChecking::Go
                                      : LiveChecking::Off;
  // What is derived is not known of a launch that fails, and that is when it is asked for.
  settings.derivesAccesses = settings.check == LiveChecking::Off;
  environment.number(CUPR_DERIVE, settings.derivesAccesses);
  environment.number(CUPR_SNAPSHOT_BYTES, settings.mostSnapshotBytes);
  settings.replaysKernels = std::getenv("NV_COMPUTE_PROFILER_PERFWORKS_DIR") != nullptr; // which ncu sets
  environment.number(CUPR_VALUES, settings.recordsValues);
  environment.number(CUPR_LATENCY, settings.timesAccesses);
  environment.number(CUPR_STAGE, settings.stageBytes);
  settings.stageBytes =
      settings.stageBytes < abi::kStageBytesMin ? 0 : settings.stageBytes / abi::kWordBytes * abi::kWordBytes;
  environment.number(CUPR_LIBRARY_MEMORY, settings.watchesLibraries);
  environment.number(CUPR_PATHS, settings.recordsPaths);
  environment.number(CUPR_HOST_SAMPLES, settings.hostSamplesPerSecond);
  environment.number(CUPR_COUNT, settings.countsAccesses);
  if (const auto launches = environment.text(CUPR_LAUNCHES))
    std::tie(settings.launchSkip, settings.launchCount) = *abi::parseLaunches(*launches);
  if (const auto blocks = environment.text(CUPR_CTAS))
    std::tie(settings.ctas.first, settings.ctas.end) = *abi::parseBlocks(*blocks);
  environment.number(CUPR_SAMPLE, settings.ctas.period);
}

/// Reads where the trace goes, and how.
void readTrace(Environment &environment, Settings &settings) {
  settings.toNowhere = environment.text(CUPR_SINK) == "null";
  if (const auto level = environment.text(CUPR_LEVEL))
    settings.level = static_cast<int>(*abi::parseNumber(*level));
  environment.number(CUPR_MAX_BYTES, settings.maxBytes);
  environment.number(CUPR_FORCE, settings.replacesAnyFile);
  environment.number(CUPR_ARGUMENTS, settings.recordsArguments);
  const std::string untraced = environment.text(CUPR_UNTRACED).value_or("");
  settings.omitsUntraced = untraced == "omit";
  settings.timesUntraced = untraced == "time";
  if (const auto mode = environment.text(CUPR_FILE_MODE))
    settings.fileMode = *trace::fileMode(*mode);
  settings.summaryPath = Settings::textFromEnvironment(CUPR_SUMMARY);
}

/// Reads how records travel.
void readTransport(Environment &environment, Settings &settings) {
  static_assert(abi::settingOf(CUPR_PAGE).low == abi::kSmallestPage &&
                abi::settingOf(CUPR_STAGE).high == abi::kStageBytesMax);
  // Who begins a page, or completes one, empties the first cache of its multiprocessor (a fence that acquires): the less often the better where accesses are timed.
  std::uint64_t page =
      settings.timesAccesses ? abi::settingOf(CUPR_PAGE).high : std::uint64_t{1} << settings.pageBytesLog2;
  environment.number(CUPR_PAGE, page);
  settings.pageBytesLog2 = static_cast<unsigned>(std::bit_width(page) - 1);
  environment.number(CUPR_BUFFER, settings.bufferBytes);
  settings.binsInDevice = environment.text(CUPR_BINS) != "host";
  settings.dropsWhenFull = environment.text(CUPR_FULL) == "drop";
  environment.number(CUPR_WATCHDOG, settings.watchdogSeconds);
  settings.consumerThreads = std::clamp(std::thread::hardware_concurrency(), 3u, 18u) - 2;
  environment.number(CUPR_CONSUMERS, settings.consumerThreads);
}

/// CUPR_PROCESS=PID: no other process than this.
bool isTraced(Environment &environment) {
  const auto process = environment.text(CUPR_PROCESS);
  return !process || *process == std::to_string(::getpid());
}

void nameMisspelt() {
  static bool isSaid = false; // children of fork need not hear it again
  if (const std::string list = misspeltSettings(environ); !list.empty() && !std::exchange(isSaid, true))
    message("no settings, and without effect: {}", list);
}

/// Letters to insert, remove or replace.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

std::string programName() { return programPath().filename().string(); }

} // namespace

std::string_view nearestSetting(std::string_view name) {
  return std::ranges::min_element(
             abi::kSettings, {},
             [&](const abi::Setting &setting) { return distance(name, setting.variable); })
      ->variable;
}

std::string misspeltSettings(const char *const *environment) {
  constexpr std::string_view kPrefix = "CUPR_";
  constexpr std::size_t kLongest = 64; // it is the user's text
  std::string list;
  for (; environment && *environment; ++environment) {
    const std::string_view entry = *environment;
    const std::string_view name = entry.substr(0, entry.find('='));
    if (!name.starts_with(kPrefix) || name.size() > kLongest ||
        std::ranges::find(abi::kSettings, name, &abi::Setting::variable) != std::end(abi::kSettings))
      continue;
    list += (list.empty() ? "" : ", ") + std::string(name) + " (the nearest is " +
            std::string(nearestSetting(name)) + ")";
  }
  return list;
}

std::string Settings::textFromEnvironment(SettingName name) {
  const char *const text = ::secure_getenv(abi::settingOf(name).variable);
  return text ? text : "";
}

Settings Settings::fromEnvironment() {
  Settings settings;
  const std::string wish = textFromEnvironment(CUPR_TRACE);
  // A program with more rights than who started it writes nothing that its caller has a say in.
  if (&cuprTraceDisabled || wish == "off" || ::getauxval(AT_SECURE) != 0) {
    settings.enabled = false;
    return settings;
  }
  Environment environment;
  readSelection(environment, settings);
  readTrace(environment, settings);
  readTransport(environment, settings);
  const bool isOurs = isTraced(environment);
  if (isOurs)
    nameMisspelt();
  settings.enabled = isOurs && environment.isGood();
  settings.tracePath =
      trace::tracePath(wish, trace::NamedProcess::of(programName(), static_cast<std::uint64_t>(::getpid())));
  return settings;
}

} // namespace cupr::host
