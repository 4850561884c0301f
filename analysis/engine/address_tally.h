/// How often the accesses of one site, in one launch, come to each of few addresses, and which blocks they are of.
///
/// What many threads come to is served one after the other. The L2 cache does the atomics of a sector in turn, whichever block they are
/// of, so the busiest sector may be what a kernel waits for, although each of its requests is as narrow as can be. And threads that all
/// load one address, again and again, keep the L1 cache busy with 4 bytes at a time. Neither shows in a single request: it is a matter of
/// all of them together.
///
/// Only what may be so is told apart: atomics, and requests whose threads all have one address. An access that comes to many addresses
/// has none that is worth a word, so the tally is given up then.
#ifndef CUPR_ANALYSIS_ADDRESS_TALLY_H
#define CUPR_ANALYSIS_ADDRESS_TALLY_H

#include "access_runs.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <unordered_set>

namespace cupr::analysis {

/// Sums over the launches whose tallies were not given up.
struct MeetingVolume {
  std::uint64_t threads = 0; ///< accesses by threads
  std::uint64_t turns = 0;   ///< requests, once for each sector that one of them comes to
  std::uint64_t places = 0;  ///< addresses
  /// Pairs of an address and a block that comes to it, or as many as there may be: what would be left if each block did its own part
  /// first.
  std::uint64_t ofBlocks = 0;
  std::uint64_t busiest = 0; ///< turns of the sector that has most of a launch's
  /// Addresses that one block alone comes to, in a sector in which others have theirs; and the threads' accesses to these.
  std::uint64_t besidePlaces = 0, besideThreads = 0;

  void add(const MeetingVolume &other, std::uint64_t times);
  friend bool operator==(const MeetingVolume &, const MeetingVolume &) = default;
};

/// Distinct addresses, of several launches: they are told apart by launch in all sums, but what the program has is these.
class FewAddresses {
public:
  /// As many floats as constant memory holds.
  static constexpr std::size_t kMost = 16384;

  void add(std::uint64_t address) {
    if (!isMany_)
      addresses_.insert(address);
    if (addresses_.size() > kMost)
      giveUp();
  }
  void add(const FewAddresses &other) {
    for (const std::uint64_t address : other.addresses_)
      add(address);
    if (other.isMany_)
      giveUp();
  }
  void giveUp() {
    addresses_ = {};
    isMany_ = true;
  }
  /// There are more than kMost.
  bool isMany() const { return isMany_; }
  std::size_t size() const { return addresses_.size(); }
  const std::unordered_set<std::uint64_t> &all() const { return addresses_; }

private:
  std::unordered_set<std::uint64_t> addresses_;
  bool isMany_ = false;
};

/// Those that MeetingVolume counts as `places` and as `besidePlaces`.
struct MeetingPlaces {
  FewAddresses all, beside;
  void add(const MeetingPlaces &other) {
    all.add(other.all);
    beside.add(other.beside);
  }
};

/// Of the records that it was told of, in whatever order.
class AddressTally {
public:
  static constexpr std::size_t kMost = 4096; ///< addresses

  /// Whether the threads of a request all have one address; not of ranges.
  static bool hasOneAddress(const abi::WarpAccess &access);

  /// Calls `visit(address, threads, isFirstOfSector)` for each address of a request, whose runs these are.
  template <typename Visit> static void forEachAddress(std::span<const AccessRun> runs, Visit visit) {
    std::uint64_t last = UINT64_MAX;
    for (const AccessRun &run : runs)
      for (std::uint32_t element = 0; element < run.elements; ++element) {
        const std::uint64_t address = run.begin + element * run.elementBytes, sector = address / kSectorBytes;
        visit(address, std::uint64_t{run.threads}, sector != last);
        last = sector;
      }
  }

  /// One request by `block`: `runs` are the record's.
  void add(std::uint64_t block, std::span<const AccessRun> runs);
  /// Requests of so many threads each with this address: one by each of `blocks` blocks, of which `block` is one.
  void add(std::uint64_t address, std::uint64_t threads, bool isFirstOfSector, std::uint64_t block,
           std::uint64_t blocks);
  void add(const AddressTally &other);

  /// It was given up.
  bool isMany() const { return isMany_; }
  /// `blocks`: of the launch. Nothing, if it was given up.
  MeetingVolume sum(std::uint64_t blocks) const {
    MeetingPlaces places;
    return sum(blocks, places);
  }
  /// The same; adds the addresses to `at`.
  MeetingVolume sum(std::uint64_t blocks, MeetingPlaces &at) const;

private:
  struct Place {
    std::uint64_t threads = 0, turns = 0;
    std::uint64_t block = 0;
    bool isOfSeveral = false; ///< other blocks have come, too
  };
  /// Null: there are too many.
  Place *placeOf(std::uint64_t address, std::uint64_t block);

  std::unordered_map<std::uint64_t, Place> places_; ///< by address
  bool isMany_ = false;
};

} // namespace cupr::analysis

#endif
