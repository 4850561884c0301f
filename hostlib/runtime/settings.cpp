#include "settings.h"

#include "message.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
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

std::string defaultPath(const std::string &folder) {
  std::error_code ignored;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  const std::string name = fmt::format("{}.{}.cuprtrace", program.filename().string(), getpid());
  return folder.empty() ? name : (std::filesystem::path(folder) / name).string();
}

} // namespace

Settings Settings::fromEnvironment() {
  Settings settings;
  const char *const trace = std::getenv("CUPR_TRACE");
  const std::string wish = trace ? trace : "";
  std::error_code ignored;
  if (&cuprTraceDisabled || wish == "off")
    settings.enabled = false;
  else if (wish.empty())
    settings.tracePath = defaultPath("");
  else if (wish.back() == '/' || std::filesystem::is_directory(wish, ignored))
    settings.tracePath = defaultPath(wish);
  else
    settings.tracePath = wish;

  if (const char *const text = std::getenv("CUPR_PAGE"); text && *text) {
    const auto bytes = parseBytes(text);
    if (bytes && std::has_single_bit(*bytes) && *bytes >= 1024 && *bytes <= (1u << 20))
      settings.pageBytesLog2 = static_cast<unsigned>(std::bit_width(*bytes) - 1);
    else
      message("CUPR_PAGE is '{}': expected a power of two from 1K to 1M; using 64K", text);
  }
  if (const char *const text = std::getenv("CUPR_BUFFER"); text && *text) {
    if (const auto bytes = parseBytes(text))
      settings.bufferBytes = *bytes;
    else
      message("CUPR_BUFFER is '{}': expected a number of bytes, such as 32M; using 32M", text);
  }
  settings.consumerThreads = std::clamp(std::thread::hardware_concurrency() / 4, 1u, 8u);
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
