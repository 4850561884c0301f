/// How the memory that launches find is taken apart, on the device and in traces.
#ifndef CUPR_ABI_SNAPSHOT_H
#define CUPR_ABI_SNAPSHOT_H

#include <cstdint>

namespace cupr {
namespace abi {

/// Memory is taken in pieces of so many bytes, counted from the start of its range; the last one may be shorter.
constexpr std::uint32_t kPieceBytes = 65536;

} // namespace abi
} // namespace cupr

#endif
