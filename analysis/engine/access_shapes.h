/// Kinds of runs: a site and the strides of a run, as one number that fits into a shadow's cell.
#ifndef CUPR_ANALYSIS_ACCESS_SHAPES_H
#define CUPR_ANALYSIS_ACCESS_SHAPES_H

#include "access_runs.h"
#include "communication.h"

#include <compare>
#include <cstdint>
#include <map>
#include <mutex>
#include <tbb/concurrent_vector.h>
#include <unordered_map>
#include <vector>

namespace cupr::analysis {

struct AccessShape {
  std::uint32_t site = 0; ///< as Communication::sites
  std::uint32_t elementBytes = 0;
  std::uint32_t elements = 0, threads = 0;
  std::uint64_t jump = 0; ///< rounded
  /// Of runs that write: the first address modulo the length, so that the address of a byte tells its element.
  std::uint32_t phase = 0;
  friend bool operator==(const AccessShape &, const AccessShape &) = default;

  static AccessShape of(std::uint32_t site, const AccessRun &run, bool writes) {
    // A run of one element has no stride inside, whatever its size.
    if (run.elements == 1)
      return {site, 0, 1, run.threads, roundedJump(run.jump), 0};
    return {site,
            static_cast<std::uint32_t>(run.elementBytes),
            run.elements,
            run.threads,
            roundedJump(run.jump),
            writes ? phaseOf(run) : 0};
  }

private:
  static std::uint32_t phaseOf(const AccessRun &run) {
    const std::uint64_t length = run.range().bytes();
    return static_cast<std::uint32_t>(std::has_single_bit(length) ? run.begin & (length - 1)
                                                                  : run.begin % length);
  }
};

/// Bytes of runs of one shape: by threads where they are read, distinct where they are written.
struct ShapeBytes {
  std::uint64_t all = 0;
  std::uint64_t first = 0; ///< of these: of the runs' first elements
  ShapeBytes &operator+=(const ShapeBytes &more) {
    all += more.all;
    first += more.first;
    return *this;
  }
};
/// Those that take part in communication.
struct ShapeFlow {
  ShapeBytes communicated, handedOn;
  ShapeFlow &operator+=(const ShapeFlow &more) {
    communicated += more.communicated;
    handedOn += more.handedOn;
    return *this;
  }
};

/// By shape: bytes read by threads that an earlier launch wrote; distinct bytes written that a later one
/// read. Scattered accesses have tens of thousands of shapes, so there is one for each thread, and not for
/// each shard.
struct ShapeFlows {
  std::vector<ShapeFlow> reads, writes;
};

/// Calls `add(stride, bytes)` for the strides of runs of this shape: each thread has the stride to the next
/// lower address. The lowest one of a record has none.
template <typename Add> void forEachStride(const AccessShape &shape, const ShapeBytes &bytes, Add add) {
  // Of the threads of an element, one has the next lower address below it, and the others share its own.
  const std::uint64_t first = bytes.first / shape.threads, others = (bytes.all - bytes.first) / shape.threads;
  if (const std::uint64_t shared = bytes.all - first - others; shared != 0)
    add(std::uint64_t{0}, shared);
  if (others != 0)
    add(std::uint64_t{shape.elementBytes}, others);
  if (first != 0 && shape.jump != AccessRun::kNoJump)
    add(shape.jump, first);
}
/// The same for bytes that runs of this shape wrote: each has the stride of the thread that wrote it, which is
/// 0 where threads share the address.
template <typename Add>
void forEachWrittenStride(const AccessShape &shape, const ShapeBytes &bytes, Add add) {
  if (shape.threads > 1) {
    if (bytes.all != 0)
      add(std::uint64_t{0}, bytes.all);
    return;
  }
  if (bytes.all != bytes.first)
    add(std::uint64_t{shape.elementBytes}, bytes.all - bytes.first);
  if (bytes.first != 0 && shape.jump != AccessRun::kNoJump)
    add(shape.jump, bytes.first);
}
/// Adds them to `strides`.
void addStrides(StrideVolume &strides, const AccessShape &shape, const ShapeBytes &bytes);
/// Of whole runs.
ShapeBytes spreadBytes(const AccessShape &shape, std::uint64_t bytes);
void addWrittenStrides(StrideVolume &strides, const AccessShape &shape, const ShapeBytes &bytes);
/// How many bytes of `range`, all written by runs of this shape, are of first elements.
std::uint64_t firstWritten(const AccessShape &shape, const Range &range);

/// Numbers shapes from 0, in no particular order. All may be called by several threads at once; a number is
/// good where it comes from `add`, by way of whatever threads use to meet.
class AccessShapes {
public:
  std::uint32_t add(const AccessShape &shape);
  const AccessShape &operator[](std::uint32_t number) const { return shapes_[number]; }
  /// The same as operator[], but many times as many fit into a processor's cache.
  std::uint32_t siteOf(std::uint32_t number) const { return sites_[number]; }
  std::size_t size() const { return shapes_.size(); }

private:
  struct Hash {
    std::size_t operator()(const AccessShape &shape) const;
  };
  std::mutex mutex_;
  std::unordered_map<AccessShape, std::uint32_t, Hash> numbers_;
  tbb::concurrent_vector<AccessShape> shapes_; // stay where they are when it grows
  tbb::concurrent_vector<std::uint32_t> sites_;
};

/// One thread's way to the numbers: no lock for what it has met. Scattered accesses have tens of thousands of
/// shapes, so it is a table of few bytes for each.
class ShapeCache {
public:
  explicit ShapeCache(AccessShapes &shapes) : shapes_(shapes), places_(kFirstPlaces) {}
  /// What a number is found by.
  using Key = std::uint64_t;
  std::uint32_t numberOf(const AccessShape &shape) {
    return numberOf(keyOf(shape), [&] { return shape; });
  }
  /// The same for one that is looked up soon: asks for the memory that it takes.
  Key announce(const AccessShape &shape) const {
    const Key key = keyOf(shape);
    __builtin_prefetch(&places_[placeOf(key)]);
    return key;
  }
  /// `shapeOf()`: the shape that has the key.
  template <typename ShapeOf> std::uint32_t numberOf(Key key, ShapeOf shapeOf) {
    if (key == kNoKey)
      return shapes_.add(shapeOf());
    Place *place = &find(key);
    if (place->key != kNoKey)
      return place->number;
    if (2 * (count_ + 1) > places_.size()) {
      grow();
      place = &find(key);
    }
    ++count_;
    return (*place = {key, shapes_.add(shapeOf())}).number;
  }

private:
  struct Place {
    Key key = kNoKey;
    std::uint32_t number = 0;
  };
  static constexpr std::size_t kFirstPlaces = 1024;
  static constexpr Key kNoKey = 0;

  /// All of a shape that is met often; kNoKey for others: ranges of odd sizes.
  static Key keyOf(const AccessShape &shape);
  /// Where the search for it begins.
  std::size_t placeOf(Key key) const { return (key * 0x9e3779b97f4a7c15u >> 32) & (places_.size() - 1); }
  Place &find(Key key) {
    const std::size_t mask = places_.size() - 1;
    std::size_t i = placeOf(key);
    while (places_[i].key != key && places_[i].key != kNoKey)
      i = (i + 1) & mask;
    return places_[i];
  }
  void grow();

  AccessShapes &shapes_;
  std::vector<Place> places_; ///< a hash table with open addressing: a power of two
  std::size_t count_ = 0;
};

} // namespace cupr::analysis

#endif
