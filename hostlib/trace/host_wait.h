/// What the host has waited for when a call that copies or sets memory returns. The name of the call doesn't
/// say it: cudaMemset returns before the memory is set, cudaMemcpyAsync from host to host when all is done.
/// The trace says which call it was (Copy::asynchronous, Set::asynchronous) and where its memory lies;
/// host_wait.def is the table.
#ifndef CUPR_TRACE_HOST_WAIT_H
#define CUPR_TRACE_HOST_WAIT_H

#include <cstdint>

namespace cupr::trace {

enum class TransferCall : std::uint8_t { Copy, CopyAsync, Set, SetAsync };
/// Where memory lies, as far as it matters. Pageable and pinned is memory of the host.
enum class TransferMemory : std::uint8_t { Any, Pageable, Pinned, Managed, Device };
/// Before: for what its stream held before the call, not for the call's own work.
enum class HostWait : std::uint8_t { Nothing, Before, All };

struct HostWaitRow {
  TransferCall call;
  TransferMemory from, to;
  HostWait wait;
};

inline constexpr HostWaitRow kHostWaits[] = {
#define CUPR_HOST_WAIT(call, from, to, wait)                                                                 \
  {TransferCall::call, TransferMemory::from, TransferMemory::to, HostWait::wait},
#include "host_wait.def"
};

/// `from` is of no concern to sets.
constexpr HostWait hostWait(TransferCall call, TransferMemory from, TransferMemory to) {
  const auto fits = [](TransferMemory wanted, TransferMemory memory, bool isCopy) {
    return wanted == TransferMemory::Any || wanted == memory ||
           (isCopy && wanted == TransferMemory::Device && memory == TransferMemory::Managed);
  };
  const bool isCopy = call == TransferCall::Copy || call == TransferCall::CopyAsync;
  for (const HostWaitRow &row : kHostWaits)
    if (row.call == call && fits(row.from, from, isCopy) && fits(row.to, to, isCopy))
      return row.wait;
  return HostWait::Nothing;
}

} // namespace cupr::trace

#endif
