#include "settings.h"

#include "devicelib/abi/queue.h"
#include "hostlib/trace/output.h"
#include "message.h"
#include "setting_names.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <regex>
#include <string_view>
#include <sys/auxv.h>
#include <thread>
#include <unistd.h>
#include <utility>

/// Defined (as any address but null) by the linker flag that `cupr++ --no-trace` adds.
extern "C" const char cuprTraceDisabled __attribute__((weak));

namespace cupr::host {
namespace {

std::optional<std::uint64_t> parseNumber(std::string_view digits) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size())
    return std::nullopt;
  return value;
}

/// A number with K, M or G behind it; none: it is no number, or too large for one.
std::optional<std::uint64_t> parseBytes(std::string_view text) {
  constexpr std::string_view kSuffixes = "KMG";
  unsigned shift = 0;
  if (!text.empty()) {
    const std::size_t suffix = kSuffixes.find(static_cast<char>(text.back() & ~0x20));
    if (suffix != std::string_view::npos) {
      shift = 10 * static_cast<unsigned>(suffix + 1);
      text.remove_suffix(1);
    }
  }
  const std::optional<std::uint64_t> number = parseNumber(text);
  return number && *number <= UINT64_MAX >> shift ? std::optional(*number << shift) : std::nullopt;
}

/// `FIRST<separator>SECOND`, or `FIRST<separator>`, for which `second` stays as it is.
bool parsePair(std::string_view text, char separator, std::uint64_t &first, std::uint64_t &second) {
  const std::size_t at = text.find(separator);
  if (at == std::string_view::npos)
    return false;
  const auto front = parseNumber(text.substr(0, at));
  const auto back = at + 1 == text.size() ? second : parseNumber(text.substr(at + 1));
  if (!front || !back)
    return false;
  first = *front;
  second = *back;
  return true;
}

/// Reads variables one by one, and says which of them make no sense. A variable that is not set, or empty, is
/// not looked at.
class Environment {
public:
  /// `take(text)` returns whether the text makes sense.
  template <typename Take> void read(const char *variable, const char *expected, Take take) {
    const std::string text = Settings::textFromEnvironment(variable);
    if (text.empty() || take(text))
      return;
    message("{} is '{}': expected {}; nothing is traced", variable, text, expected);
    isGood_ = false;
  }

  template <typename Value>
  void choose(const char *variable, const char *expected, Value &value,
              std::initializer_list<std::pair<std::string_view, Value>> words) {
    read(variable, expected, [&](const std::string &text) {
      for (const auto &[word, meaning] : words)
        if (word == text) {
          value = meaning;
          return true;
        }
      return false;
    });
  }

  void onOrOff(const char *variable, bool &value) {
    choose(variable, "on or off", value, {{"on", true}, {"1", true}, {"off", false}, {"0", false}});
  }

  /// From `low` to `high`.
  template <typename Value>
  void bytes(const char *variable, const char *expected, Value &value, std::uint64_t low,
             std::uint64_t high) {
    read(variable, expected, [&](const std::string &text) {
      const std::optional<std::uint64_t> number = parseBytes(text);
      if (!number || *number < low || *number > high)
        return false;
      value = static_cast<Value>(*number);
      return true;
    });
  }

  void expression(const char *variable) {
    read(variable, "a regular expression (ECMAScript), such as ^heat", [](const std::string &text) {
      try {
        const std::regex parsed(text, std::regex::ECMAScript);
        return true;
      } catch (const std::regex_error &) {
        return false;
      }
    });
  }

  bool isGood() const { return isGood_; }

private:
  bool isGood_ = true;
};

/// Reads what is to be recorded.
void readSelection(Environment &environment, Settings &settings) {
  settings.kernels = Settings::textFromEnvironment("CUPR_KERNELS");
  environment.expression("CUPR_KERNELS");
  environment.expression("CUPR_NVTX");
  using Name = Settings::KernelName;
  environment.choose(
      "CUPR_KERNEL_NAME", "demangled, qualified or function", settings.kernelName,
      {{"demangled", Name::Demangled}, {"qualified", Name::Qualified}, {"function", Name::Function}});
  environment.onOrOff("CUPR_START", settings.recordFromStart);
  environment.onOrOff("CUPR_COUNT", settings.countsAccesses);
  environment.read("CUPR_LAUNCHES", "SKIP:COUNT, such as 10:5, or SKIP:", [&](const std::string &text) {
    return parsePair(text, ':', settings.launchSkip, settings.launchCount);
  });
  environment.read("CUPR_CTAS", "FIRST-LAST, such as 0-15, or FIRST-", [&](const std::string &text) {
    std::uint64_t first = 0, last = UINT64_MAX - 1;
    if (!parsePair(text, '-', first, last) || first > last || last == UINT64_MAX)
      return false;
    settings.ctas.first = first;
    settings.ctas.end = last + 1;
    return true;
  });
  environment.bytes("CUPR_SAMPLE", "N from 1 on, to record one block in N", settings.ctas.period, 1,
                    UINT32_MAX);
}

/// Reads where the trace goes, and how.
void readTrace(Environment &environment, Settings &settings) {
  environment.choose("CUPR_SINK", "file or null", settings.toNowhere, {{"file", false}, {"null", true}});
  environment.read("CUPR_LEVEL", "a level of zstd, from 1 to 19", [&](const std::string &text) {
    const auto level = parseNumber(text);
    if (!level || *level < 1 || *level > 19)
      return false;
    settings.level = static_cast<int>(*level);
    return true;
  });
  environment.bytes("CUPR_MAX_BYTES", "a number of bytes, such as 10G", settings.maxBytes, 1, UINT64_MAX);
  environment.onOrOff("CUPR_FORCE", settings.replacesAnyFile);
  environment.onOrOff("CUPR_ARGUMENTS", settings.recordsArguments);
  environment.choose("CUPR_UNTRACED", "list or omit", settings.omitsUntraced, {{"list", false}, {"omit", true}});
  environment.read(
      "CUPR_FILE_MODE", "permissions in octal that let you write, such as 600 or 640",
      [&](const std::string &text) {
        const auto mode = trace::fileMode(text);
        settings.fileMode = mode.value_or(trace::kPrivateMode);
        return mode.has_value();
      });
  settings.summaryPath = Settings::textFromEnvironment("CUPR_SUMMARY");
}

/// Reads how records travel.
void readTransport(Environment &environment, Settings &settings) {
  environment.read("CUPR_PAGE", "a power of two from 4K to 1M", [&](const std::string &text) {
    const auto bytes = parseBytes(text);
    if (!bytes || !std::has_single_bit(*bytes) || *bytes < abi::kSmallestPage || *bytes > (1u << 20))
      return false;
    settings.pageBytesLog2 = static_cast<unsigned>(std::bit_width(*bytes) - 1);
    return true;
  });
  environment.bytes("CUPR_BUFFER", "a number of bytes, such as 256M", settings.bufferBytes, 0, SIZE_MAX);
  environment.choose("CUPR_BINS", "device or host", settings.binsInDevice,
                     {{"device", true}, {"host", false}});
  environment.choose("CUPR_FULL", "wait or drop", settings.dropsWhenFull, {{"wait", false}, {"drop", true}});
  environment.bytes("CUPR_WATCHDOG", "seconds up to 1000000, 0 for never", settings.watchdogSeconds, 0,
                    1000000);
  settings.consumerThreads = std::clamp(std::thread::hardware_concurrency(), 3u, 18u) - 2;
  environment.bytes("CUPR_CONSUMERS", "a number from 1 to 64", settings.consumerThreads, 1, 64);
}

/// CUPR_PROCESS=PID: no other process than this.
bool isTraced(Environment &environment) {
  bool isOurs = true;
  environment.read("CUPR_PROCESS", "the number of a process", [&](const std::string &text) {
    isOurs = text == std::to_string(::getpid());
    return parseNumber(text).has_value();
  });
  return isOurs;
}

void nameMisspelt() {
  static bool isSaid = false; // children of fork need not hear it again
  if (const std::string list = misspeltSettings(environ); !list.empty() && !std::exchange(isSaid, true))
    message("no settings, and without effect: {}", list);
}

std::string programName() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).filename().string();
}

} // namespace

std::string Settings::textFromEnvironment(const char *variable) {
  const char *const text = ::secure_getenv(variable);
  return text ? text : "";
}

Settings Settings::fromEnvironment() {
  Settings settings;
  const std::string wish = textFromEnvironment("CUPR_TRACE");
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
