#include "record_values.h"

namespace cupr::trace {

abi::ValueShape valueShapeOf(const Site &site) {
  const bool hasClock = (site.flags & abi::kSiteClock) != 0,
             hasDuration = (site.flags & abi::kSiteDuration) != 0;
  if ((site.flags & abi::kSiteValues) == 0)
    return {0, 0, hasClock, hasDuration};
  return {abi::valueBytes(site.operation, site.bytes), abi::valuesOf(site.operation), hasClock, hasDuration};
}

const char *RecordValues::take(const abi::WarpAccess &access, const Site &site, AccessValues &values) {
  values.shape = {};
  if (!isWith_ || (site.flags & (abi::kSiteValues | abi::kSiteClock | abi::kSiteDuration)) == 0)
    return nullptr;
  const abi::ValueShape shape = valueShapeOf(site);
  if (!abi::isRecorded(shape))
    return "its site says that it has values, which can't be";
  for (std::uint32_t piece = 0; piece < abi::piecesOf(shape); ++piece) {
    const std::uint32_t size =
        abi::readValue(words_.data(), words_.size(), abi::bytesOfPieceAmong(shape, piece), access.laneMask,
                       values.pieces[piece]);
    if (size == 0)
      return "the chunk does not hold its values";
    words_ = words_.subspan(size);
  }
  values.shape = shape;
  return nullptr;
}

const char *RecordValues::brokenAtEnd() const {
  return words_.empty() ? nullptr : "the chunk holds more values than its records have";
}

} // namespace cupr::trace
