/// What host code says of its accesses to memory that the device may be at, too (cupr++ --host-accesses).
///
/// In front of each access of the host that may reach such memory stands, put there by the compiler's plugin
/// (cuprewrite/language/host_accesses.h):
///
///     if (address - __cupr_watched_memory_v6.begin < __cupr_watched_memory_v6.bytes)
///       cuprHostAccess_v6(address, bytes, flags, place);
///
/// `place` is a number for the place in the source, the same for the accesses that an unrolled loop makes of one; 0: it is not known.
/// The range holds all memory that both sides reach, and other memory between; it is empty while nothing runs that the host has not
/// waited for. A constructor of each object tells that there are such accesses.
#ifndef CUPR_ABI_HOST_ACCESS_H
#define CUPR_ABI_HOST_ACCESS_H

#include "version.h"

#include <cstdint>

#define CUPR_HOST_ACCESS_SYMBOL CUPR_VERSIONED_TEXT(cuprHostAccess_v)
#define CUPR_HOST_TELLS_SYMBOL CUPR_VERSIONED_TEXT(cuprHostTells_v)
#define CUPR_WATCHED_MEMORY_SYMBOL CUPR_VERSIONED_TEXT(__cupr_watched_memory_v)

namespace cupr {
namespace abi {

/// The argument with which the plugin puts them there.
constexpr const char *kHostAccesses = "host-accesses";

/// Read by all threads, with no order.
struct WatchedMemory {
  std::uint64_t begin, bytes;
};

constexpr std::uint32_t kHostWrites = 1; ///< it writes; else it reads alone
constexpr std::uint32_t kHostStrong = 2; ///< it is atomic or volatile

} // namespace abi
} // namespace cupr

extern "C" {
extern cupr::abi::WatchedMemory CUPR_VERSIONED(__cupr_watched_memory_v);
void CUPR_VERSIONED(cuprHostAccess_v)(const void *address, std::uint64_t bytes, std::uint32_t flags,
                                      std::uint64_t place) noexcept;
/// The process has code that tells of its accesses.
void CUPR_VERSIONED(cuprHostTells_v)() noexcept;
}

#endif
