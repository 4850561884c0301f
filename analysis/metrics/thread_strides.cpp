/// Where the lanes of a warp were last is kept for each access of the source, for the time of a launch: as the
/// record that says it while one record says all, since most do, and lane by lane where they diverge.
#include "thread_strides.h"

#include "analysis/engine/access_runs.h"
#include "analysis/engine/program_places.h"
#include "analysis/engine/sum_table.h"
#include "analysis/model/records.h"

#include <array>
#include <bit>
#include <deque>
#include <tuple>

namespace cupr::analysis {

namespace {

constexpr std::uint64_t kStrideMemory = std::uint64_t{64} << 20;

/// Addresses of the lanes in `mask`. From an Affine or Rows record, or each for itself.
struct LastAddresses {
  enum class Layout : std::uint8_t { Affine, Rows, Single };
  std::uint64_t ctaAndWarp = 0;
  std::uint64_t base = 0; ///< of the first lane in `mask`; Single: where the addresses are
  std::uint32_t access = 0;
  std::uint32_t mask = 0;  ///< 0: nothing is known
  std::uint32_t shape = 0; ///< of the record
  Layout layout = Layout::Single;

  unsigned first() const { return static_cast<unsigned>(std::countr_zero(mask)); }
  /// Of a lane that has none, too. Not if Single.
  std::uint64_t of(unsigned lane) const {
    if (layout == Layout::Rows)
      return base + static_cast<std::uint64_t>(abi::rowsOffset(shape, lane, first()));
    const auto stride = static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(shape)});
    return base + stride * (std::uint64_t{lane} - first());
  }
  /// Whether any two lanes are equally far apart in both.
  bool isLike(const LastAddresses &other) const {
    return layout == other.layout && layout != Layout::Single && shape == other.shape;
  }
};

/// For one launch at a time.
class LastAddressTable {
public:
  LastAddressTable(trace::WorkLimit &limit, const LaunchInfo &launch) : limit_(limit), launch_(launch) {}
  ~LastAddressTable() { limit_.release(kept_); }
  LastAddressTable(const LastAddressTable &) = delete;
  LastAddressTable &operator=(const LastAddressTable &) = delete;

  /// Calls `visitor(lanes, distance)` for lanes of the record that were somewhere before, a mask, and how far
  /// the record's addresses are from there, modulo 2^64. Then the record's lanes are where it says.
  template <typename Visitor> void move(const abi::WarpAccess &to, std::uint32_t access, Visitor visitor) {
    LastAddresses now;
    now.ctaAndWarp = to.cta << abi::kWarpBits | to.warp;
    now.access = access;
    now.mask = to.laneMask;
    now.base = to.address[now.first()];
    if (to.form == abi::RecordForm::Affine) {
      now.layout = LastAddresses::Layout::Affine;
      now.shape = static_cast<std::uint32_t>(to.stride);
    } else if (to.form == abi::RecordForm::Rows) {
      now.layout = LastAddresses::Layout::Rows;
      now.shape = to.shape;
    }
    if (4 * (count_ + 1) > 3 * places_.size())
      grow();
    LastAddresses &before = find(now);
    count_ += before.mask == 0;
    const std::uint32_t both = before.mask & now.mask;
    if (both != 0 && before.isLike(now))
      visitor(both, now.base - before.of(now.first()));
    else
      for (std::uint32_t left = both; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        visitor(left & (0 - left), to.address[lane] - addressOf(before, lane));
      }
    const bool isAll = (before.mask & ~now.mask) == 0;
    if (isAll && now.layout != LastAddresses::Layout::Single)
      return replace(before, now);
    if (before.mask != 0 && before.isLike(now) && before.of(now.first()) == now.base)
      return widen(before, now.mask);
    takeApart(before, now);
    std::array<std::uint64_t, abi::kLanes> &lanes = lanes_[before.base];
    for (std::uint32_t left = now.mask; left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(left));
      lanes[lane] = to.address[lane];
    }
    before.mask |= now.mask;
  }

private:
  std::uint64_t addressOf(const LastAddresses &of, unsigned lane) const {
    return of.layout == LastAddresses::Layout::Single ? lanes_[of.base][lane] : of.of(lane);
  }

  void replace(LastAddresses &before, const LastAddresses &now) {
    if (before.mask != 0 && before.layout == LastAddresses::Layout::Single)
      spare_.push_back(before.base);
    before = now;
  }

  /// More lanes of the same line or rows, or the same lanes.
  static void widen(LastAddresses &before, std::uint32_t mask) {
    const std::uint32_t all = before.mask | mask;
    before.base = before.of(static_cast<unsigned>(std::countr_zero(all)));
    before.mask = all;
  }

  /// Makes `before` one with addresses each for itself; `now` says whose it is.
  void takeApart(LastAddresses &before, const LastAddresses &now) {
    if (before.mask != 0 && before.layout == LastAddresses::Layout::Single)
      return;
    LastAddresses apart = now;
    apart.layout = LastAddresses::Layout::Single;
    apart.mask = before.mask;
    apart.base = room();
    for (std::uint32_t left = before.mask; left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(left));
      lanes_[apart.base][lane] = before.of(lane);
    }
    before = apart;
  }

  std::size_t room() {
    if (spare_.empty()) {
      keep(sizeof lanes_.front() + sizeof spare_.front());
      lanes_.emplace_back();
      return lanes_.size() - 1;
    }
    const std::size_t place = spare_.back();
    spare_.pop_back();
    return place;
  }

  LastAddresses &find(const LastAddresses &wanted) {
    const std::size_t mask = places_.size() - 1;
    std::size_t i = keyHash(wanted.ctaAndWarp, wanted.access) & mask;
    while (places_[i].mask != 0 &&
           (places_[i].ctaAndWarp != wanted.ctaAndWarp || places_[i].access != wanted.access))
      i = (i + 1) & mask;
    return places_[i];
  }

  void grow() {
    const std::size_t size = places_.empty() ? 1024 : 2 * places_.size();
    keep(size * sizeof(LastAddresses));
    std::vector<LastAddresses> before(size);
    before.swap(places_);
    for (const LastAddresses &place : before)
      if (place.mask != 0)
        find(place) = place;
    limit_.release(before.size() * sizeof(LastAddresses));
    kept_ -= before.size() * sizeof(LastAddresses);
  }

  void keep(std::uint64_t bytes) {
    limit_.keep(bytes, [&] { return launch_.kernel + ": where its threads were last"; });
    kept_ += bytes;
  }

  trace::WorkLimit &limit_;
  const LaunchInfo &launch_;
  std::uint64_t kept_ = 0;
  std::vector<LastAddresses> places_; ///< a hash table with open addressing: a power of two
  std::size_t count_ = 0;
  std::deque<std::array<std::uint64_t, abi::kLanes>> lanes_;
  std::vector<std::size_t> spare_; ///< of these
};

} // namespace

bool ThreadStride::before(const ThreadStride &other) const {
  return std::tuple(place, backwards, stride) < std::tuple(other.place, other.backwards, other.stride);
}

std::uint64_t ThreadStride::hash() const {
  return keyHash(pairOf(place.launch, place.site), stride * 2 + backwards);
}

std::unique_ptr<SortedSum<ThreadStride>> threadStrides(const Model &model, const ShownPart &shown) {
  const std::vector<std::uint32_t> firstSites = firstSitesOf(model), accesses = sourceAccessesOf(model);
  const std::vector<LaunchIndex> kernels = kernelsOf(model);
  auto result = std::make_unique<SortedSum<ThreadStride>>(kStrideMemory);
  SumTable<ThreadStride> recent;
  const auto moveRecent = [&] {
    recent.forEach([&](const ThreadStride &stride) { result->add(stride); });
    recent.clear();
  };
  std::optional<LastAddressTable> last;
  for (LaunchIndex launch = 0; launch < model.launches().size(); ++launch) {
    const LaunchInfo &info = model.launches()[launch];
    if (info.chunks.empty() || !shown.has(launch))
      continue;
    if (info.phase == 0 || !last)
      last.emplace(model.limit(), info);
    RecordStream records(model, info, RecordsOf::GlobalMemory);
    while (const Record *record = records.next()) {
      const abi::WarpAccess &access = record->access;
      if (!shown.hasBlock(model, launch, access.cta))
        continue;
      const std::uint32_t site = firstSites[static_cast<std::size_t>(info.launch.module)] + access.site;
      ThreadStride stride;
      stride.place = {kernels[launch], accesses[site]};
      std::uint64_t distances = 0;
      last->move(access, accesses[site], [&](std::uint32_t lanes, std::uint64_t distance) {
        const auto signedDistance = static_cast<std::int64_t>(distance);
        stride.backwards = signedDistance < 0;
        stride.stride = roundedJump(stride.backwards ? 0 - distance : distance);
        stride.accesses = static_cast<std::uint64_t>(std::popcount(lanes));
        // Records of several lanes at a time are of one size.
        stride.bytes =
            stride.accesses *
            abi::laneBytes(access, static_cast<unsigned>(std::countr_zero(lanes)), record->site->bytes);
        recent.add(stride);
        ++distances;
      });
      constexpr std::uint64_t kStepsPerRecord = 250, kStepsPerDistance = 20;
      records.spend(kStepsPerRecord + kStepsPerDistance * distances);
      constexpr std::size_t kMostRecent = 1u << 16;
      if (recent.size() > kMostRecent)
        moveRecent();
    }
  }
  moveRecent();
  return result;
}

} // namespace cupr::analysis
