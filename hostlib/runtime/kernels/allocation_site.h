/// Where in the source the call stands that allocates next in this thread, and what the source says of it: told by
/// what rewritten calls carry (`cupr_allocation`, `cupr_next_allocation`).
#ifndef CUPR_RUNTIME_ALLOCATION_SITE_H
#define CUPR_RUNTIME_ALLOCATION_SITE_H

namespace cupr::host {

/// Texts are the program's, and stay. Nothing is known: all are empty and 0.
struct AllocationSite {
  const char *name = "", *type = "", *file = "";
  unsigned line = 0, column = 0;
};

/// That of the call which this thread has made; told once, since a call allocates once.
AllocationSite takeAllocationSite();

} // namespace cupr::host

#endif
