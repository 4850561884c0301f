/// Kinds of runs: a site and the strides of a run, as one number that fits into a shadow's cell.
#ifndef CUPR_ANALYSIS_ACCESS_SHAPES_H
#define CUPR_ANALYSIS_ACCESS_SHAPES_H

#include "access_runs.h"
#include "communication.h"

#include <compare>
#include <cstdint>
#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace cupr::analysis {

struct AccessShape {
  std::uint32_t site = 0; ///< as Communication::sites
  std::uint32_t elementBytes = 0;
  std::uint32_t elements = 0, threads = 0;
  std::uint64_t jump = 0; ///< rounded
  friend bool operator==(const AccessShape &, const AccessShape &) = default;

  static AccessShape of(std::uint32_t site, const AccessRun &run) {
    // A run of one element has no stride inside, whatever its size.
    return {site, run.elements > 1 ? static_cast<std::uint32_t>(run.elementBytes) : 0, run.elements,
            run.threads, roundedJump(run.jump)};
  }
};

/// Adds `bytes` of runs of this shape to `strides`: each thread has the stride to the next lower address. The
/// lowest one of a record has none.
void addStrides(StrideVolume &strides, const AccessShape &shape, std::uint64_t bytes);

/// Numbers shapes from 0, in no particular order. `add` may be called by several threads at once,
/// `operator[]` only while nobody adds.
class AccessShapes {
public:
  std::uint32_t add(const AccessShape &shape);
  const AccessShape &operator[](std::uint32_t number) const { return shapes_[number]; }
  std::size_t size() const { return shapes_.size(); }

private:
  struct Hash {
    std::size_t operator()(const AccessShape &shape) const;
  };
  std::mutex mutex_;
  std::unordered_map<AccessShape, std::uint32_t, Hash> numbers_;
  std::vector<AccessShape> shapes_;

  friend class ShapeCache;
};

/// One thread's way to the numbers: no lock for what it has met.
class ShapeCache {
public:
  explicit ShapeCache(AccessShapes &shapes) : shapes_(shapes), places_(kPlaces) {}
  std::uint32_t numberOf(const AccessShape &shape) {
    Place &place = places_[AccessShapes::Hash()(shape) % kPlaces];
    if (!(place.shape == shape))
      place = {shape, shapes_.add(shape)};
    return place.number;
  }

private:
  static constexpr std::size_t kPlaces = 32768; ///< scattered accesses have as many jumps
  struct Place {
    AccessShape shape; ///< default: free, as runs have at least one element
    std::uint32_t number = 0;
  };
  AccessShapes &shapes_;
  std::vector<Place> places_;
};

} // namespace cupr::analysis

#endif
