#include "register_limit.h"

#include "devicelib/abi/site_table.h"

#include <charconv>
#include <optional>

namespace cupr::tool {
namespace {

/// What a block of the largest power of two that `plain` registers allow leaves to each thread.
unsigned limitFor(unsigned plain) { return plain <= 64 ? 64 : plain <= 128 ? 128 : 255; }

/// Where directives of the kernel go: behind its parameter list. Nothing when it has launch bounds.
std::optional<std::size_t> directivesOf(std::string_view ptx, const std::string &kernel) {
  const std::size_t entry = ptx.find(".entry " + kernel + "(");
  if (entry == std::string_view::npos)
    return std::nullopt;
  const std::size_t end = ptx.find(')', entry), body = ptx.find('{', entry);
  if (end == std::string_view::npos || body == std::string_view::npos || end > body)
    return std::nullopt;
  const std::string_view directives = ptx.substr(end, body - end);
  for (const char *bound : {".maxntid", ".reqntid", ".maxnreg"})
    if (directives.find(bound) != std::string_view::npos)
      return std::nullopt;
  return end + 1;
}

} // namespace

std::map<std::string, unsigned> registersByKernel(std::string_view ptxasOutput) {
  std::map<std::string, unsigned> registers;
  std::string kernel;
  while (!ptxasOutput.empty()) {
    const std::size_t end = ptxasOutput.find('\n');
    const std::string_view line = ptxasOutput.substr(0, end);
    ptxasOutput.remove_prefix(end == std::string_view::npos ? ptxasOutput.size() : end + 1);
    constexpr std::string_view kEntry = "Compiling entry function '", kUsed = "Used ";
    if (const std::size_t at = line.find(kEntry); at != std::string_view::npos) {
      const std::string_view name = line.substr(at + kEntry.size());
      kernel = name.substr(0, name.find('\''));
    } else if (const std::size_t used = line.find(kUsed); used != std::string_view::npos && !kernel.empty()) {
      const std::string_view number = line.substr(used + kUsed.size());
      unsigned count = 0;
      if (std::from_chars(number.data(), number.data() + number.size(), count).ec == std::errc())
        registers[kernel] = count;
      kernel.clear();
    }
  }
  return registers;
}

std::string limitRegisters(std::string_view ptx, const std::map<std::string, unsigned> &registers) {
  std::string limited;
  for (const auto &[kernel, plain] : registers) {
    const std::string traced = CUPR_TRACED_PREFIX + kernel;
    const auto used = registers.find(traced);
    if (used == registers.end() || used->second <= limitFor(plain))
      continue;
    if (const auto at = directivesOf(limited.empty() ? ptx : limited, traced)) {
      if (limited.empty())
        limited = ptx;
      limited.insert(*at, "\n.maxnreg " + std::to_string(limitFor(plain)));
    }
  }
  return limited;
}

} // namespace cupr::tool
