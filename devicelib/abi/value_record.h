/// Value records: what an access read or wrote, exactly, taken from the registers that it went through, and when.
///
/// An access at a site with values (site_table.h, kSiteValues) has as many *parts* as its operation has values (operation.h,
/// valuesOf). Each part has the site's bytes (operation.h, valueBytes) and goes in *pieces* of 8 bytes, the last of which may be shorter. For each
/// part, and each of its pieces, a record of one of these forms stands right behind the access's own, in the same
/// reservation; of a site with clocks (kSiteClock) one more behind them, of 8 bytes, is the clock of the multiprocessor that each lane
/// read in front of the access; of a site of a timed kernel (kSiteDuration) one more behind that, of 4 bytes, is how many cycles later
/// it read the clock behind the access (latency_scheme.h):
///
///     word 0   u32 bytes of the piece and form | u32 shape or words | u64 base
///     word 1.. values of the active lanes, if the form needs them, and zeros up to the end of the word
///
///     form         value of active lane n                                                words
///     ValueAffine  base + shape * (n - first active lane), modulo 2^(8 * bytes)           1
///     ValueDense   `bytes` bytes at word 1, element rank                                  as it says
///
/// Values are little endian. They are no accesses, and a trace has them beside the records, not among them: a chunk's
/// values stand in the order of its records.
#ifndef CUPR_ABI_VALUE_RECORD_H
#define CUPR_ABI_VALUE_RECORD_H

#include "latency_scheme.h"
#include "record_head.h"

namespace cupr {
namespace abi {

enum : std::uint32_t {
  kPieceBytesMax = 8,
  /// Cycles of an access, as many as 4 bytes say; more are the largest number.
  kDurationBytes = 4,
  /// Larger values are not recorded.
  kMaxValueBytes = 64,
  kMaxValueParts = 3,
  /// Of one access: as many as a hook takes. So the parts of an atomic operation are of 16 bytes at most.
  kMaxValuePieces = 8,
  kMaxValueWords = kMaxValuePieces * (1u + kLanes * kPieceBytesMax / kWordBytes),
  /// The largest reservation: a record, and its values.
  kMaxClaimWords = kMaxRecordWords + kMaxValueWords,
};

CUPR_RECORD_FUNCTION std::uint32_t piecesOfPart(std::uint32_t bytes) {
  return (bytes + kPieceBytesMax - 1u) / kPieceBytesMax;
}
/// The bytes of piece `piece` of a part of `bytes` bytes.
CUPR_RECORD_FUNCTION std::uint32_t bytesOfPiece(std::uint32_t bytes, std::uint32_t piece) {
  return bytes - piece * kPieceBytesMax < kPieceBytesMax ? bytes - piece * kPieceBytesMax : +kPieceBytesMax;
}
/// Whether values of so many parts, of so many bytes each, are recorded.
CUPR_RECORD_FUNCTION bool areValuesRecorded(std::uint32_t parts, std::uint64_t bytes) {
  return parts != 0 && parts <= kMaxValueParts && bytes != 0 && bytes <= kMaxValueBytes &&
         parts * piecesOfPart(static_cast<std::uint32_t>(bytes)) <= kMaxValuePieces;
}

/// What is recorded behind an access.
struct ValueShape {
  std::uint32_t bytes; ///< of each part
  std::uint32_t parts; ///< 0: no values
  bool hasClock;
  bool hasDuration; ///< with a clock only
};
CUPR_RECORD_FUNCTION std::uint32_t valuePieces(const ValueShape &shape) {
  return shape.parts * piecesOfPart(shape.bytes);
}
/// Behind the values the clock, and behind that the duration.
CUPR_RECORD_FUNCTION std::uint32_t piecesOf(const ValueShape &shape) {
  return valuePieces(shape) + static_cast<std::uint32_t>(shape.hasClock) +
         static_cast<std::uint32_t>(shape.hasDuration);
}
/// The bytes of piece `piece` of all.
CUPR_RECORD_FUNCTION std::uint32_t bytesOfPieceAmong(const ValueShape &shape, std::uint32_t piece) {
  return piece < valuePieces(shape)    ? bytesOfPiece(shape.bytes, piece % piecesOfPart(shape.bytes))
         : piece == valuePieces(shape) ? +kPieceBytesMax
                                       : +kDurationBytes;
}
/// Whether there is room for so much of one access.
CUPR_RECORD_FUNCTION bool isRecorded(const ValueShape &shape) {
  return (shape.parts == 0 ? shape.hasClock : areValuesRecorded(shape.parts, shape.bytes)) &&
         (shape.hasClock || !shape.hasDuration) && piecesOf(shape) <= kMaxValuePieces;
}

/// What a hook is told of the values that it gets.
struct HookValues {
  ValueShape shape;
  bool isDecided; ///< which of its spaces the address is in is decided now
  /// Of an access with a duration, for the CPU device, which models it (cpu/runtime/access_clock.h). Without parts, `shape.bytes` are
  /// those of the access then.
  LatencyScheme scheme;
  bool isOneSite; ///< lanes that come together are of one site: it is a constant where the hook is called
};
CUPR_RECORD_FUNCTION std::uint32_t packValues(const HookValues &values) {
  return values.shape.bytes | values.shape.parts << 8 | static_cast<std::uint32_t>(values.isDecided) << 16 |
         static_cast<std::uint32_t>(values.shape.hasClock) << 17 |
         static_cast<std::uint32_t>(values.shape.hasDuration) << 18 |
         static_cast<std::uint32_t>(values.scheme) << 19 | static_cast<std::uint32_t>(values.isOneSite) << 22;
}
CUPR_RECORD_FUNCTION HookValues unpackValues(std::uint32_t packed) {
  return HookValues{
      ValueShape{packed & 0xffu, packed >> 8 & 0xffu, (packed >> 17 & 1u) != 0, (packed >> 18 & 1u) != 0},
      (packed >> 16 & 1u) != 0, static_cast<LatencyScheme>(packed >> 19 & 7u), (packed >> 22 & 1u) != 0};
}

CUPR_RECORD_FUNCTION std::uint32_t bytesOfValue(std::uint32_t bytesAndForm) { return siteOf(bytesAndForm); }
/// Words of a dense record of `active` lanes.
CUPR_RECORD_FUNCTION std::uint32_t denseValueWords(std::uint32_t bytes, unsigned active) {
  return 1u + (active * bytes + kWordBytes - 1u) / kWordBytes;
}
/// The words of the value record that begins with this word; 0: it can't be one.
CUPR_RECORD_FUNCTION std::uint32_t valueWords(const FirstWord &first, std::size_t available) {
  const std::uint32_t bytes = bytesOfValue(first.siteAndForm);
  if (bytes == 0 || bytes > kPieceBytesMax || available == 0)
    return 0;
  if (formOf(first.siteAndForm) == RecordForm::ValueAffine)
    return 1;
  return first.lanes > 1 && first.lanes <= denseValueWords(bytes, kLanes) && first.lanes <= available
             ? first.lanes
             : 0;
}

CUPR_RECORD_FUNCTION FirstWord affineValue(std::uint32_t bytes, std::int32_t step, std::uint64_t base) {
  return FirstWord{packSite(bytes, RecordForm::ValueAffine), static_cast<std::uint32_t>(step), base};
}
CUPR_RECORD_FUNCTION FirstWord denseValue(std::uint32_t bytes, unsigned active) {
  return FirstWord{packSite(bytes, RecordForm::ValueDense), denseValueWords(bytes, active), 0};
}
/// The low `bytes` bytes of a value.
CUPR_RECORD_FUNCTION std::uint64_t cutValue(std::uint64_t value, std::uint32_t bytes) {
  return bytes < 8 ? value & ((std::uint64_t{1} << (8 * (bytes & 7u))) - 1u) : value;
}

} // namespace abi
} // namespace cupr

#endif
