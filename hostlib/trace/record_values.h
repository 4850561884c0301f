/// The values, clocks and durations of a chunk's accesses, taken record by record: what of the value records (devicelib/abi/value_record.h)
/// belongs to whom.
#ifndef CUPR_TRACE_RECORD_VALUES_H
#define CUPR_TRACE_RECORD_VALUES_H

#include "chunk.h"
#include "module.h"

#include <cstdint>
#include <span>

namespace cupr::trace {

/// What records at a site have behind them, in launches with values.
abi::ValueShape valueShapeOf(const Site &site);

/// What the lanes of a record read and wrote, when, and how long it took.
struct AccessValues {
  abi::ValueShape shape{}; ///< all zero: nothing was recorded
  std::uint64_t pieces[abi::kMaxValuePieces][abi::kLanes];

  /// Bytes `8 * piece` to `8 * piece + 7` of a part, as far as it has so many.
  std::uint64_t piece(unsigned part, unsigned piece, unsigned lane) const {
    return pieces[part * abi::piecesOfPart(shape.bytes) + piece][lane];
  }
  /// Where there is one.
  std::uint64_t clock(unsigned lane) const { return pieces[abi::valuePieces(shape)][lane]; }
  /// Cycles, where there is one.
  std::uint32_t duration(unsigned lane) const {
    return static_cast<std::uint32_t>(pieces[abi::valuePieces(shape) + 1][lane]);
  }
};

class RecordValues {
public:
  RecordValues() = default;
  /// `words`: of value records, which must outlive this. `isWith`: the launch has values.
  RecordValues(bool isWith, std::span<const Word> words) : isWith_(isWith), words_(words) {}

  /// Takes the values of the next record, which is `access` at `site`. Returns the rule that is broken; null: none.
  const char *take(const abi::WarpAccess &access, const Site &site, AccessValues &values);
  /// The rule that is broken when all records of the chunk have taken theirs; null: none.
  const char *brokenAtEnd() const;

private:
  bool isWith_ = false;
  std::span<const Word> words_; ///< that are left
};

} // namespace cupr::trace

#endif
