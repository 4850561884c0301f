#include "register_limit.h"

#include "devicelib/abi/symbols.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>

namespace cupr::tool {
namespace {

/// What a block of the largest power of two that `plain` registers allow leaves to each thread.
unsigned tracedLimit(unsigned plain) { return plain <= 64 ? 64 : plain <= 128 ? 128 : 255; }

/// What keeps a variant's occupancy that of a plain one with so many registers.
unsigned sameOccupancyLimit(unsigned plain) {
  constexpr unsigned kUnit = 8, kMost = 255;
  return std::clamp((plain + kUnit - 1) / kUnit * kUnit, kLeastForCalls, kMost);
}

/// Whether the kernel's code asks where the workspace of a cooperative launch is, for the barrier of the grid.
bool isCooperative(std::string_view ptx, const std::string &kernel) {
  const std::size_t entry = ptx.find(".entry " + kernel + "(");
  if (entry == std::string_view::npos)
    return false;
  return ptx.substr(entry, ptx.find("\n}", entry) - entry).find("%envreg") != std::string_view::npos;
}

/// Where directives of the kernel go: behind its parameter list. Nothing when it has one of `bounds`.
std::optional<std::size_t> directivesOf(std::string_view ptx, const std::string &kernel,
                                        std::initializer_list<const char *> bounds) {
  const std::size_t entry = ptx.find(".entry " + kernel + "(");
  if (entry == std::string_view::npos)
    return std::nullopt;
  const std::size_t end = ptx.find(')', entry), body = ptx.find('{', entry);
  if (end == std::string_view::npos || body == std::string_view::npos || end > body)
    return std::nullopt;
  const std::string_view directives = ptx.substr(end, body - end);
  for (const char *bound : bounds)
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
  const auto limit = [&](const std::string &name, unsigned most, std::initializer_list<const char *> bounds) {
    const auto used = registers.find(name);
    if (used == registers.end() || used->second <= most)
      return;
    if (const auto at = directivesOf(limited.empty() ? ptx : limited, name, bounds)) {
      if (limited.empty())
        limited = ptx;
      limited.insert(*at, "\n.maxnreg " + std::to_string(most));
    }
  };
  for (const KernelFigures &kernel : kernels) {
    if (isCooperative(ptx, kernel.name))
      limit(CUPR_TRACED_PREFIX + kernel.name, sameOccupancyLimit(kernel.registers), {".maxnreg"});
    else
      limit(CUPR_TRACED_PREFIX + kernel.name, tracedLimit(kernel.registers),
            {".maxntid", ".reqntid", ".maxnreg"});
    limit(CUPR_TIMED_PREFIX + kernel.name, sameOccupancyLimit(kernel.registers), {".maxnreg"});
  }
  return limited;
}

} // namespace cupr::tool
