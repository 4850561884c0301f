/// What was found of the record that was looked at last, for those that follow and are like it: most of a site's records differ only in
/// where they are, and what is asked for only depends on where in a sector that is.
#ifndef CUPR_ANALYSIS_LIKE_LAST_H
#define CUPR_ANALYSIS_LIKE_LAST_H

#include "access_runs.h"

#include <array>
#include <bit>
#include <cstdint>

namespace cupr::analysis {

/// Of the records of one site in blocks of one shape.
template <typename Found> class LikeLast {
public:
  /// `look()` finds it anew.
  template <typename Look> const Found &of(const abi::WarpAccess &access, Look look) {
    const bool isPlain = access.form == abi::RecordForm::Affine || access.form == abi::RecordForm::Rows;
    const Key key{static_cast<std::uint64_t>(access.form) << 32 | access.laneMask,
                  static_cast<std::uint64_t>(access.warp) << 32 |
                      (access.form == abi::RecordForm::Affine ? static_cast<std::uint32_t>(access.stride)
                                                              : access.shape),
                  access.address[std::countr_zero(access.laneMask)] % kSectorBytes};
    if (!isPlain || !isKnown_ || key != key_) {
      last_ = look();
      key_ = key;
      isKnown_ = isPlain;
    }
    return last_;
  }

private:
  /// Form and lanes, warp and shape, and where in a sector it begins.
  using Key = std::array<std::uint64_t, 3>;
  Key key_{};
  bool isKnown_ = false;
  Found last_{};
};

} // namespace cupr::analysis

#endif
