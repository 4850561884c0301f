#include "hook_assembly.h"

#include "devicelib/abi/hooks.h"
#include "devicelib/abi/symbols.h"

#include <algorithm>
#include <cstdlib>

namespace cupr::tool {
namespace {

constexpr std::string_view kTracedEntry = ".entry " CUPR_TRACED_PREFIX;
constexpr std::string_view kSharedArray = ".shared .align ";
constexpr unsigned kWidestAccess = 16;

bool definesHook(std::string_view ptx) {
  const auto defines = [&](const char *symbol) {
    return symbol && ptx.find(std::string(".func ") + symbol + "(") != std::string_view::npos;
  };
  return std::any_of(std::begin(abi::kHooks), std::end(abi::kHooks),
                     [&](const abi::HookNames &hook) { return defines(hook.symbol) || defines(hook.twin); });
}

unsigned count(std::string_view text, std::string_view part) {
  unsigned found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size()))
    ++found;
  return found;
}

/// Behind the alignment: `4 .b8 tile[2048];`, without a size for an array of the launch's.
bool wantsMore(std::string_view declaration) {
  const std::string text(declaration.substr(0, declaration.find(';')));
  char *rest = nullptr;
  if (std::strtoul(text.c_str(), &rest, 10) >= kWidestAccess)
    return false;
  const std::size_t size = text.rfind('[');
  return size != std::string::npos &&
         (text[size + 1] == ']' || std::strtoul(text.c_str() + size + 1, nullptr, 10) >= kWidestAccess);
}

} // namespace

bool isRelocatableForHooks(std::string_view ptx) {
  return count(ptx, kTracedEntry) > kKernelsAsWhole && definesHook(ptx);
}

std::string withAlignedSharedArrays(std::string_view ptx) {
  std::string aligned;
  std::size_t done = 0;
  for (std::size_t at = ptx.find(kSharedArray); at != std::string_view::npos;
       at = ptx.find(kSharedArray, done)) {
    const std::size_t alignment = at + kSharedArray.size();
    aligned += ptx.substr(done, alignment - done);
    done = alignment;
    if (wantsMore(ptx.substr(alignment))) {
      aligned += std::to_string(kWidestAccess);
      done = ptx.find(' ', alignment);
    }
  }
  return aligned += ptx.substr(done);
}

} // namespace cupr::tool
