/// Other layouts of what a warp accesses in shared memory, tried out: a full warp, as far apart as a regular pattern says, in the layout as it
/// is and in others. What does not spare half of the conflicts is no help, and not given.
#ifndef CUPR_ANALYSIS_BANK_LAYOUTS_H
#define CUPR_ANALYSIS_BANK_LAYOUTS_H

#include "analysis/engine/bank_wavefronts.h"
#include "analysis/engine/request_pattern.h"

#include <cstdint>
#include <optional>

namespace cupr::analysis {

/// Bytes that lie in banks of four bytes side by side.
inline constexpr std::int64_t kRowOfBanks = kBanks * static_cast<std::int64_t>(BankWidth::Four);

class BankLayouts {
public:
  /// Of an access whose threads are not all of one address. Both outlive it.
  BankLayouts(const trace::Site &site, const RequestPattern &pattern);

  struct Padded {
    std::int64_t bytes;
    double wavefronts; ///< per request
  };
  /// With rows that are so much longer, as little as does most; `row`: which of the pattern's distances is that of rows.
  std::optional<Padded> padded(std::int64_t RequestPattern::*row) const;

  struct Gapped {
    std::int64_t elements; ///< index i becomes i + i / elements
    double wavefronts;     ///< per request
  };
  /// With an element left free behind each row of banks.
  std::optional<Gapped> gapped() const;

  struct Swizzled {
    std::int64_t places;
    double wavefronts; ///< per request
  };
  /// With what belongs in column c of row r in column c ^ (r % places), where rows are `stride` apart, and whole numbers of so many places.
  std::optional<Swizzled> swizzled() const;

private:
  template <typename AddressOf> BankFigures with(AddressOf addressOf) const;
  std::uint64_t addressIn(const RequestPattern &pattern, std::uint32_t lane) const;

  const trace::Site &site_;
  RequestPattern pattern_; ///< without directions
  std::int64_t bytes_;     ///< of an element
  BankFigures now_;
};

} // namespace cupr::analysis

#endif
