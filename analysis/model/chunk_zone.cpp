#include "chunk_zone.h"

#include <bit>

namespace cupr::analysis {

void ChunkZone::add(const Record &record) {
  const abi::WarpAccess &access = record.access;
  cta.extend(access.cta);
  sites |= std::uint64_t{1} << access.site % 64;
  for (std::uint32_t left = access.laneMask; left != 0; left &= left - 1)
    address.extend(access.address[std::countr_zero(left)]);
}

} // namespace cupr::analysis
