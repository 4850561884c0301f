/// The CUPR_* environment variables that the runtime reads, once, when it starts.
/// devicelib/abi/settings.def says what each means, what it may be, and what holds without it.
#ifndef CUPR_RUNTIME_SETTINGS_H
#define CUPR_RUNTIME_SETTINGS_H

#include "devicelib/abi/setting.h"
#include "hostlib/trace/events.h"
#include "hostlib/trace/kernel_choice.h"
#include "hostlib/trace/trace_path.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cupr::host {

/// What a fault does that is found while the program runs; Off: none is looked for.
enum class LiveChecking { Off, Stop, Go };

struct Settings {
  /// CUPR_TRACE: the file or folder, a pattern (hostlib/trace/trace_path.h). "off": no trace.
  trace::TracePath tracePath;
  /// Also CUPR_PROCESS=PID: only that process, not those that it starts.
  bool enabled = true;
  /// CUPR_BUFFER: bytes of record buffer per device; at most an eighth of its free memory.
  std::size_t bufferBytes = abi::settingDefault(abi::SettingName::CUPR_BUFFER);
  /// CUPR_BINS: "device" or "host": whose memory the record buffer lies in.
  bool binsInDevice = true;
  /// CUPR_FULL: "drop": who finds the record buffer full does not wait; what it does not record is counted.
  bool dropsWhenFull = false;
  /// CUPR_PAGE: bytes of a page.
  unsigned pageBytesLog2 =
      static_cast<unsigned>(std::bit_width(abi::settingDefault(abi::SettingName::CUPR_PAGE)) - 1);
  /// CUPR_CONSUMERS: threads per device that parse records. Default: those of the
  /// machine, less two that move pages, at least 1, at most 16.
  unsigned consumerThreads = 1;
  /// CUPR_WATCHDOG: seconds without a record or a launch's end after which that is said; 0: never.
  unsigned watchdogSeconds = static_cast<unsigned>(abi::settingDefault(abi::SettingName::CUPR_WATCHDOG));
  /// CUPR_SINK: "file"; "null": records are parsed, counted and thrown away.
  bool toNowhere = false;
  /// CUPR_LEVEL: zstd's level; by default it follows the load.
  std::optional<int> level;
  /// CUPR_MAX_BYTES: size of the trace at which recording stops.
  std::uint64_t maxBytes = UINT64_MAX;
  /// CUPR_FILE_MODE: of files that are made, in octal; less what the umask takes.
  unsigned fileMode = 0600;
  /// CUPR_FORCE: "on": a file that has the trace's name is replaced even if it is no trace.
  bool replacesAnyFile = false;
  /// CUPR_UNTRACED: "omit": launches that are not traced are not in the trace; "time": each is waited for, and timed.
  bool omitsUntraced = false, timesUntraced = false;
  /// CUPR_ARGUMENTS: "off": the trace does not hold the program's command line.
  bool recordsArguments = true;
  /// CUPR_SUMMARY: the file to which the totals are appended in the end; empty: none.
  std::string summaryPath;

  // What is recorded (selection.h).
  /// CUPR_KERNELS: a regular expression (ECMAScript); empty: all.
  std::string kernels;
  /// CUPR_KERNEL_NAME: what of a kernel's name the expression is searched in.
  trace::NamePart kernelName = trace::NamePart::Demangled;
  /// CUPR_START: "off": nothing is recorded before the program says so.
  bool recordFromStart = true;
  /// CUPR_LAUNCHES=SKIP:COUNT; "SKIP:" goes to the end.
  std::uint64_t launchSkip = 0, launchCount = UINT64_MAX;
  /// CUPR_CHECK: "stop", "go": faults are looked for while the program runs.
  LiveChecking check = LiveChecking::Off;
  /// CUPR_DERIVE: "off": accesses that follow from their launch are recorded like all others.
  bool derivesAccesses = true;
  /// CUPR_SNAPSHOT_BYTES: of the memory that the slice of one launch may look up.
  std::uint64_t mostSnapshotBytes = std::uint64_t{64} << 20;
  bool replaysKernels = false; ///< Nsight Compute runs the program, and each kernel of it several times
  /// CUPR_VALUES: "off": what accesses read and write is not recorded, whatever the program was built for.
  bool recordsValues = true;
  /// CUPR_LATENCY: "on": launches run their kernels' timed variants, where the program has them.
  bool timesAccesses = false;
  /// CUPR_STAGE: that each warp of a timed launch gathers before its records leave, whole words; 0: they go one by one.
  std::uint64_t stageBytes = abi::settingDefault(abi::SettingName::CUPR_STAGE);
  /// CUPR_LIBRARY_MEMORY: "off": CUPTI is not asked what libraries allocate.
  bool watchesLibraries = true;
  /// CUPR_PATHS: "off": calls of the API are not recorded, nor what led to them.
  bool recordsPaths = true;
  /// CUPR_HOST_SAMPLES: samples of each thread in a second of its processor time; 0: none.
  unsigned hostSamplesPerSecond = 0;
  /// CUPR_COUNT: "on": the device counts the accesses at each site, beside recording them.
  bool countsAccesses = false;
  /// CUPR_CTAS=FIRST-LAST, linear numbers; "FIRST-" goes to the end. CUPR_SAMPLE=N: one block in N.
  trace::CtaSelection ctas;

  /// Says on stderr what makes no sense; nothing is enabled then: what would be traced is not what was meant.
  /// Names variables that look like settings and are none, too, once in a process and its children.
  static Settings fromEnvironment();
  /// The value of a variable; empty when it is not set.
  static std::string textFromEnvironment(abi::SettingName name);
};

/// The setting whose name takes the fewest changes of letters to become `name`.
std::string_view nearestSetting(std::string_view name);

/// Names the variables that begin with CUPR_ and are no settings, each with the nearest one, in one line; empty:
/// there are none. A misspelt filter would choose everything, without a word. `environment` is as environ.
std::string misspeltSettings(const char *const *environment);

} // namespace cupr::host

#endif
