/// Sums by key, of keys that come again soon.
///
/// What coalesced accesses find has the key of what others nearby found; what scattered accesses find has a
/// key of its own each time, and no table is large enough for all of them. So this one stays small enough for
/// a processor's cache: a key whose place another one takes is handed on with its sum so far, to be added up
/// elsewhere.
#ifndef CUPR_ANALYSIS_RECENT_SUMS_H
#define CUPR_ANALYSIS_RECENT_SUMS_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cupr::analysis {

/// `Entry`: as that of SumTable. Not for several threads at once.
template <typename Entry> class RecentSums {
public:
  /// Calls `handOn(const Entry &)` for what has no room any more.
  template <typename HandOn> void add(const Entry &more, HandOn handOn) {
    if (2 * (count_ + 1) > places_.size() && places_.size() < kMostPlaces)
      grow(handOn);
    put(more, handOn);
  }

  /// Forgets all. Keeps the room if most of it was needed: the next launch is often the same.
  template <typename HandOn> void handOnAll(HandOn handOn) {
    for (const Entry &entry : places_)
      if (!entry.isNone())
        handOn(entry);
    if (8 * count_ < places_.size())
      places_ = std::vector<Entry>();
    else
      std::fill(places_.begin(), places_.end(), Entry());
    count_ = 0;
  }

  /// Memory in use.
  std::uint64_t bytes() const { return places_.size() * sizeof(Entry); }

private:
  static constexpr std::size_t kFirstPlaces = 64, kMostPlaces = 256;

  template <typename HandOn> void put(const Entry &more, HandOn &handOn) {
    Entry &place = places_[more.hash() & (places_.size() - 1)];
    if (place.sameKey(more))
      return place.add(more);
    if (place.isNone())
      ++count_;
    else
      handOn(place);
    place = more;
  }

  template <typename HandOn> void grow(HandOn &handOn) {
    std::vector<Entry> before(std::max(kFirstPlaces, 2 * places_.size()));
    before.swap(places_);
    count_ = 0;
    for (const Entry &entry : before)
      if (!entry.isNone())
        put(entry, handOn);
  }

  std::vector<Entry> places_; ///< a power of two; each key has one of them
  std::size_t count_ = 0;     ///< that are taken
};

} // namespace cupr::analysis

#endif
