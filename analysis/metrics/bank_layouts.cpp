#include "bank_layouts.h"

#include "source_accesses.h"

#include <algorithm>
#include <bit>

namespace cupr::analysis {

namespace {

constexpr auto kWord = static_cast<std::int64_t>(BankWidth::Four);
/// Of what is tried out, in bytes: no shared memory is as large.
constexpr std::int64_t kFarthest = 1 << 20;

double perRequest(const BankFigures &figures) {
  return static_cast<double>(figures.wavefronts) / static_cast<double>(figures.requests);
}

} // namespace

BankLayouts::BankLayouts(const trace::Site &site, const RequestPattern &pattern)
    : site_(site), pattern_{pattern.kind, std::min(lengthOf(pattern.stride), kFarthest),
                            std::min(lengthOf(pattern.pitch), kFarthest), std::max(1u, pattern.width)},
      bytes_(std::max<std::int64_t>(1, site.bytes)),
      now_(with([&](std::uint32_t lane) { return addressIn(pattern_, lane); })) {}

template <typename AddressOf> BankFigures BankLayouts::with(AddressOf addressOf) const {
  Record record{};
  record.site = &site_;
  record.access.laneMask = ~0u;
  for (std::uint32_t lane = 0; lane < abi::kLanes; ++lane)
    record.access.address[lane] = addressOf(lane);
  return bankFigures(record, BankWidth::Four);
}

std::uint64_t BankLayouts::addressIn(const RequestPattern &pattern, std::uint32_t lane) const {
  return static_cast<std::uint64_t>(pattern.stride * (lane % pattern.width) +
                                    pattern.pitch * (lane / pattern.width));
}

std::optional<BankLayouts::Padded> BankLayouts::padded(std::int64_t RequestPattern::*row) const {
  const std::int64_t grain = bytes_ & -bytes_; // rows stay as aligned as elements are
  std::optional<Padded> best;
  std::uint64_t least = now_.excess();
  for (std::int64_t padding = grain; padding <= kRowOfBanks && least != 0; padding += grain) {
    RequestPattern padded = pattern_;
    padded.*row += padding;
    if (const BankFigures figures = with([&](std::uint32_t lane) { return addressIn(padded, lane); });
        figures.excess() < least) {
      least = figures.excess();
      best = {padding, perRequest(figures)};
    }
  }
  return 2 * least <= now_.excess() ? best : std::nullopt;
}

std::optional<BankLayouts::Gapped> BankLayouts::gapped() const {
  if (bytes_ > kRowOfBanks || !std::has_single_bit(static_cast<std::uint64_t>(bytes_)))
    return std::nullopt;
  const std::int64_t elements = kRowOfBanks / bytes_;
  const BankFigures figures = with([&](std::uint32_t lane) {
    const std::uint64_t address = addressIn(pattern_, lane);
    return address + address / kRowOfBanks * static_cast<std::uint64_t>(bytes_);
  });
  return 2 * figures.excess() <= now_.excess() ? std::optional(Gapped{elements, perRequest(figures)})
                                               : std::nullopt;
}

std::optional<BankLayouts::Swizzled> BankLayouts::swizzled() const {
  const std::int64_t columns = pattern_.stride / bytes_;
  if (columns == 0 || pattern_.stride % bytes_ != 0 || pattern_.pitch % bytes_ != 0)
    return std::nullopt;
  const std::int64_t places = std::min(columns & -columns, kRowOfBanks / std::max(bytes_, kWord));
  const BankFigures figures = with([&](std::uint32_t lane) {
    const std::int64_t row = lane % pattern_.width,
                       column = pattern_.pitch / bytes_ * (lane / pattern_.width);
    return static_cast<std::uint64_t>(pattern_.stride * row + bytes_ * (column ^ (row % places)));
  });
  return 2 * figures.excess() <= now_.excess() ? std::optional(Swizzled{places, perRequest(figures)})
                                               : std::nullopt;
}

} // namespace cupr::analysis
