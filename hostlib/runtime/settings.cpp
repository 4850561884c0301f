#include "settings.h"

#include "devicelib/abi/queue.h"
#include "message.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <thread>
#include <unistd.h>

/// Defined (as any address but null) by the linker flag that `cupr++ --no-trace` adds.
extern "C" const char cuprTraceDisabled __attribute__((weak));

namespace cupr::host {
namespace {

std::optional<std::size_t> parseBytes(const char *text) {
  char *end = nullptr;
  const unsigned long long number = std::strtoull(text, &end, 10);
  if (end == text)
    return std::nullopt;
  unsigned shift = 0;
  if (*end) {
    const char *const suffixes = "KMG";
    const char *const suffix = std::strchr(suffixes, *end & ~0x20);
    if (!suffix || end[1])
      return std::nullopt;
    shift = 10 * static_cast<unsigned>(suffix - suffixes + 1);
  }
  return static_cast<std::size_t>(number) << shift;
}

/// `FIRST<separator>SECOND`, or `FIRST<separator>`, for which `second` stays as it is.
bool parsePair(const std::string &text, char separator, std::uint64_t &first, std::uint64_t &second) {
  const auto number = [](std::string_view digits, std::uint64_t &value) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc() && end == digits.data() + digits.size();
  };
  const std::size_t at = text.find(separator);
  if (at == std::string::npos)
    return false;
  const std::string_view view = text;
  return number(view.substr(0, at), first) && (at + 1 == text.size() || number(view.substr(at + 1), second));
}

/// Reads what is to be recorded.
void readSelection(Settings &settings) {
  settings.kernels = Settings::textFromEnvironment("CUPR_KERNELS");
  if (const std::string text = Settings::textFromEnvironment("CUPR_KERNEL_NAME"); text == "function")
    settings.kernelName = Settings::KernelName::Function;
  else if (text == "qualified")
    settings.kernelName = Settings::KernelName::Qualified;
  else if (!text.empty() && text != "demangled")
    message("CUPR_KERNEL_NAME is '{}': expected demangled, qualified or function; using demangled", text);
  if (const std::string text = Settings::textFromEnvironment("CUPR_START"); text == "off" || text == "0")
    settings.recordFromStart = false;
  else if (!text.empty() && text != "on" && text != "1")
    message("CUPR_START is '{}': expected on or off; using on", text);
  if (const std::string text = Settings::textFromEnvironment("CUPR_COUNT"); text == "on" || text == "1")
    settings.countsAccesses = true;
  else if (!text.empty() && text != "off" && text != "0")
    message("CUPR_COUNT is '{}': expected on or off; using off", text);
  if (const std::string text = Settings::textFromEnvironment("CUPR_LAUNCHES"); !text.empty()) {
    std::uint64_t skip = 0, count = UINT64_MAX;
    if (parsePair(text, ':', skip, count))
      settings.launchSkip = skip, settings.launchCount = count;
    else
      message("CUPR_LAUNCHES is '{}': expected SKIP:COUNT, such as 10:5; tracing all launches", text);
  }
  if (const std::string text = Settings::textFromEnvironment("CUPR_CTAS"); !text.empty()) {
    std::uint64_t first = 0, last = UINT64_MAX - 1;
    if (parsePair(text, '-', first, last) && first <= last && last != UINT64_MAX)
      settings.ctas.first = first, settings.ctas.end = last + 1;
    else
      message("CUPR_CTAS is '{}': expected FIRST-LAST, such as 0-15; tracing all blocks", text);
  }
  if (const std::string text = Settings::textFromEnvironment("CUPR_SAMPLE"); !text.empty()) {
    if (const auto period = parseBytes(text.c_str()); period && *period >= 1)
      settings.ctas.period = *period;
    else
      message("CUPR_SAMPLE is '{}': expected N, to record one block in N; tracing all blocks", text);
  }
}

/// CUPR_PROCESS=PID: no other process than this.
bool isTraced() {
  const std::string text = Settings::textFromEnvironment("CUPR_PROCESS");
  return text.empty() || text == std::to_string(::getpid());
}

std::string programName() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).filename().string();
}

} // namespace

std::string Settings::textFromEnvironment(const char *variable) {
  const char *const text = std::getenv(variable);
  return text ? text : "";
}

Settings Settings::fromEnvironment() {
  Settings settings;
  readSelection(settings);
  const std::string wish = textFromEnvironment("CUPR_TRACE");
  settings.enabled = !&cuprTraceDisabled && wish != "off" && isTraced();
  settings.tracePath =
      trace::tracePath(wish, trace::NamedProcess::of(programName(), static_cast<std::uint64_t>(::getpid())));

  if (const char *const text = std::getenv("CUPR_PAGE"); text && *text) {
    const auto bytes = parseBytes(text);
    if (bytes && std::has_single_bit(*bytes) && *bytes >= abi::kSmallestPage && *bytes <= (1u << 20))
      settings.pageBytesLog2 = static_cast<unsigned>(std::bit_width(*bytes) - 1);
    else
      message("CUPR_PAGE is '{}': expected a power of two from 4K to 1M; using 128K", text);
  }
  if (const char *const text = std::getenv("CUPR_BUFFER"); text && *text) {
    if (const auto bytes = parseBytes(text))
      settings.bufferBytes = *bytes;
    else
      message("CUPR_BUFFER is '{}': expected a number of bytes, such as 256M; using 256M", text);
  }
  if (const std::string text = textFromEnvironment("CUPR_BINS"); text == "host")
    settings.binsInDevice = false;
  else if (!text.empty() && text != "device")
    message("CUPR_BINS is '{}': expected device or host; using device", text);
  if (const std::string text = textFromEnvironment("CUPR_FULL"); text == "drop")
    settings.dropsWhenFull = true;
  else if (!text.empty() && text != "wait")
    message("CUPR_FULL is '{}': expected wait or drop; using wait", text);
  settings.summaryPath = textFromEnvironment("CUPR_SUMMARY");
  if (const std::string text = textFromEnvironment("CUPR_SINK"); text == "null")
    settings.toNowhere = true;
  else if (!text.empty() && text != "file")
    message("CUPR_SINK is '{}': expected file or null; using file", text);
  if (const std::string text = textFromEnvironment("CUPR_LEVEL"); !text.empty()) {
    if (const auto level = parseBytes(text.c_str()); level && *level >= 1 && *level <= 19)
      settings.level = static_cast<int>(*level);
    else
      message("CUPR_LEVEL is '{}': expected a level of zstd, 1 to 19; it follows the load", text);
  }
  if (const std::string text = textFromEnvironment("CUPR_MAX_BYTES"); !text.empty()) {
    if (const auto bytes = parseBytes(text.c_str()); bytes && *bytes > 0)
      settings.maxBytes = *bytes;
    else
      message("CUPR_MAX_BYTES is '{}': expected a number of bytes, such as 10G; using no limit", text);
  }
  if (const std::string text = textFromEnvironment("CUPR_WATCHDOG"); !text.empty()) {
    const auto seconds = parseBytes(text.c_str());
    if (seconds && *seconds <= 1000000)
      settings.watchdogSeconds = static_cast<unsigned>(*seconds);
    else
      message("CUPR_WATCHDOG is '{}': expected seconds, 0 for never; using {}", text,
              settings.watchdogSeconds);
  }
  settings.consumerThreads = std::clamp(std::thread::hardware_concurrency(), 3u, 18u) - 2;
  if (const char *const text = std::getenv("CUPR_CONSUMERS"); text && *text) {
    const auto threads = parseBytes(text);
    if (threads && *threads >= 1 && *threads <= 64)
      settings.consumerThreads = static_cast<unsigned>(*threads);
    else
      message("CUPR_CONSUMERS is '{}': expected a number from 1 to 64; using {}", text,
              settings.consumerThreads);
  }
  return settings;
}

} // namespace cupr::host
