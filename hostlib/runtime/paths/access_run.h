/// Accesses of one place in the code, of one size, whose addresses are equally far apart: what a loop makes.
///
/// Exact: an address that does not go on as the run does, and that it does not hold already, is another run's.
#ifndef CUPR_RUNTIME_ACCESS_RUN_H
#define CUPR_RUNTIME_ACCESS_RUN_H

#include <cstdint>

namespace cupr::host {

class AccessRun {
public:
  AccessRun() = default;
  /// `bytes`: of each access; not 0.
  AccessRun(std::uint64_t address, std::uint64_t bytes) : first_(address), last_(address), bytes_(bytes) {}

  /// Whether it holds the access now; if not, it is as before.
  bool take(std::uint64_t address, std::uint64_t bytes) {
    if (bytes != bytes_)
      return false;
    if (address == last_ + stride_ && elements_ > 1) {
      last_ = address;
      ++elements_;
    } else if (!holds(address)) {
      if (elements_ > 1)
        return false;
      const std::uint64_t distance = address > first_ ? address - first_ : first_ - address;
      if (distance < bytes_ || distance > kFarthest) // they overlap, or have nothing to do with each other
        return false;
      stride_ = address - first_;
      last_ = address;
      elements_ = 2;
    }
    ++times_;
    return true;
  }

  /// The lowest of its addresses.
  std::uint64_t begin() const { return isDescending() ? last_ : first_; }
  /// Bytes from one address to the next; 0: there is one.
  std::uint64_t stride() const { return isDescending() ? 0 - stride_ : stride_; }
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t elements() const { return elements_; }
  /// How many accesses there were.
  std::uint64_t times() const { return times_; }

private:
  static constexpr std::uint64_t kFarthest = std::uint64_t{1} << 20;

  bool isDescending() const { return last_ < first_; }
  bool holds(std::uint64_t address) const {
    if (elements_ == 1)
      return address == first_;
    const std::uint64_t from = address - begin();
    return from <= (isDescending() ? first_ - last_ : last_ - first_) && from % stride() == 0;
  }

  std::uint64_t first_ = 0, last_ = 0;
  std::uint64_t bytes_ = 1;
  std::uint64_t stride_ = 0; ///< modulo 2^64
  std::uint64_t elements_ = 1, times_ = 1;
};

} // namespace cupr::host

#endif
