#include "record_values.h"

namespace cupr::trace {

const char *RecordValues::take(const abi::WarpAccess &access, const Site &site, AccessValues &values) {
  values.parts = 0;
  if (!isWith_ || (site.flags & abi::kSiteValues) == 0)
    return nullptr;
  const unsigned parts = abi::valuesOf(site.operation);
  const std::uint32_t bytes = abi::valueBytes(site.operation, site.bytes);
  if (!abi::areValuesRecorded(parts, bytes))
    return "its site says that it has values, which can't be";
  unsigned at = 0;
  for (unsigned part = 0; part < parts; ++part)
    for (std::uint32_t piece = 0; piece < abi::piecesOfPart(bytes); ++piece, ++at) {
      const std::uint32_t size = abi::readValue(words_.data(), words_.size(), abi::bytesOfPiece(bytes, piece),
                                                access.laneMask, values.pieces[at]);
      if (size == 0)
        return "the chunk does not hold its values";
      words_ = words_.subspan(size);
    }
  values.parts = parts;
  values.bytes = bytes;
  return nullptr;
}

const char *RecordValues::brokenAtEnd() const {
  return words_.empty() ? nullptr : "the chunk holds more values than its records have";
}

} // namespace cupr::trace
