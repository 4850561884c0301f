#include "register_limit.h"

#include "devicelib/abi/symbols.h"

#include <algorithm>
#include <map>
#include <optional>

namespace cupr::tool {
namespace {

/// What a block of the largest power of two that `plain` registers allow leaves to each thread.
unsigned tracedLimit(unsigned plain) { return plain <= 64 ? 64 : plain <= 128 ? 128 : 255; }

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

std::string limitRegisters(std::string_view ptx, const std::vector<KernelFigures> &kernels) {
  std::map<std::string_view, unsigned> registers;
  for (const KernelFigures &kernel : kernels)
    registers[kernel.name] = kernel.registers;
  std::string limited;
  for (const KernelFigures &kernel : kernels) {
    const std::string name = CUPR_TRACED_PREFIX + kernel.name;
    const unsigned limit = tracedLimit(kernel.registers);
    const auto used = registers.find(name);
    if (used == registers.end() || used->second <= limit)
      continue;
    if (const auto at = directivesOf(limited.empty() ? ptx : limited, name)) {
      if (limited.empty())
        limited = ptx;
      limited.insert(*at, "\n.maxnreg " + std::to_string(limit));
    }
  }
  return limited;
}

} // namespace cupr::tool
