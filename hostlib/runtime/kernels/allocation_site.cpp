#include "allocation_site.h"

#include "devicelib/abi/thread_owned.h"
#include "devicelib/abi/version.h"

#include <array>
#include <cstddef>
#include <utility>

namespace cupr::host {
namespace {

struct OpenSite {
  AllocationSite site;
  bool isTaken = false;
};

struct ThreadSites {
  /// Nested: the arguments of a call may allocate. Of those that lie deeper nothing is known.
  std::array<OpenSite, 16> open;
  std::size_t depth = 0;
  /// Of the statement that follows.
  OpenSite next{{}, /*isTaken=*/true};
};
ThreadSites &sites() { return abi::ThreadOwned<ThreadSites>::get(); }

} // namespace

AllocationSite takeAllocationSite() {
  ThreadSites &known = sites();
  // The innermost that has not allocated yet.
  if (known.depth > known.open.size())
    return {};
  for (std::size_t i = known.depth; i-- > 0;)
    if (!std::exchange(known.open[i].isTaken, true))
      return known.open[i].site;
  return std::exchange(known.next.isTaken, true) ? AllocationSite() : known.next.site;
}

} // namespace cupr::host

extern "C" {
void CUPR_VERSIONED(cuprAllocationBegin_v)(const char *name, const char *type, const char *file,
                                           unsigned line, unsigned column) noexcept {
  cupr::host::ThreadSites &known = cupr::host::sites();
  if (known.depth < known.open.size())
    known.open[known.depth] = {{name, type, file, line, column}};
  ++known.depth;
  known.next.isTaken =
      true; // its statement is over, or makes other calls first: it may not have been reached
}
void CUPR_VERSIONED(cuprAllocationEnd_v)() noexcept {
  cupr::host::ThreadSites &known = cupr::host::sites();
  if (known.depth != 0) // else it is a new thread's object (thread_owned.h)
    --known.depth;
}
void CUPR_VERSIONED(cuprAllocationNext_v)(const char *name, const char *type, const char *file, unsigned line,
                                          unsigned column) noexcept {
  cupr::host::sites().next = {{name, type, file, line, column}};
}
}
