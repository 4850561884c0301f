/// Affine records say all; of the others, each lane is held against what its place in the block would make it.
#include "request_pattern.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace cupr::analysis {

namespace {

/// Lanes `first` and `first + 1`, or their likes, that the record has: what the stride and the pitch are found by.
class PlaneSearch {
public:
  PlaneSearch(const abi::WarpAccess &access, std::uint32_t blockWidth)
      : access_(access), width_(std::max(1u, blockWidth)), thread_(access.warp * abi::kLanes) {}

  std::optional<RequestPlane> find() const {
    std::int64_t stride = 0, pitch = 0;
    bool knowsStride = false, knowsPitch = false;
    const bool isColumn = hasOneOfEachRow();
    const auto first = static_cast<unsigned>(std::countr_zero(access_.laneMask));
    // Two of one row tell the stride. They may be apart, where threads between them are not active.
    forEachLane([&](unsigned lane) {
      const unsigned next = nextOf(lane);
      if (knowsStride || next == abi::kLanes || row(next) != row(lane))
        return;
      const std::int64_t distance = distanceOf(lane, next), steps = next - lane;
      stride = distance / steps;
      knowsStride = distance % steps == 0;
    });
    if (!isColumn && (!knowsStride || isFar(stride)))
      return std::nullopt;
    forEachLane([&](unsigned lane) {
      if (knowsPitch || row(lane) == row(first))
        return;
      const std::int64_t rest = distanceOf(first, lane) - stride * (column(lane) - column(first)),
                         rows = row(lane) - row(first);
      pitch = rest / rows;
      knowsPitch = rest % rows == 0;
    });
    bool holds = (knowsPitch && !isFar(pitch)) || row(last()) == row(first);
    if (!holds)
      return std::nullopt;
    forEachLane([&](unsigned lane) {
      holds = holds && distanceOf(first, lane) ==
                           stride * (column(lane) - column(first)) + pitch * (row(lane) - row(first));
    });
    if (!holds)
      return std::nullopt;
    return RequestPlane{isColumn ? std::nullopt : std::optional(stride), pitch, width_};
  }

  /// Of rows that could have more, no two lanes share one: the border of a tile, for instance.
  bool hasOneOfEachRow() const {
    bool is = width_ > 1;
    forEachLane([&](unsigned lane) {
      const unsigned next = nextOf(lane);
      is = is && (next == abi::kLanes || row(next) != row(lane));
    });
    return is;
  }

private:
  template <typename Visitor> void forEachLane(Visitor visitor) const {
    for (std::uint32_t left = access_.laneMask; left != 0; left &= left - 1)
      visitor(static_cast<unsigned>(std::countr_zero(left)));
  }
  unsigned nextOf(unsigned lane) const {
    const std::uint32_t above = access_.laneMask & ~((2u << lane) - 1u);
    return static_cast<unsigned>(std::countr_zero(above)); // 32, if there is none
  }
  unsigned last() const { return 31u - static_cast<unsigned>(std::countl_zero(access_.laneMask)); }
  std::int64_t column(unsigned lane) const { return (thread_ + lane) % width_; }
  std::int64_t row(unsigned lane) const { return (thread_ + lane) / width_; }
  /// No stride of an array, and too much to be multiplied with columns and rows.
  static bool isFar(std::int64_t distance) {
    constexpr std::int64_t kFar = std::int64_t{1} << 40;
    return distance <= -kFar || distance >= kFar;
  }
  /// Modulo 2^64, since addresses may be any numbers; what is far apart is in no plane.
  std::int64_t distanceOf(unsigned from, unsigned to) const {
    return static_cast<std::int64_t>(access_.address[to] - access_.address[from]) % (std::int64_t{1} << 48);
  }

  const abi::WarpAccess &access_;
  const std::uint32_t width_, thread_;
};

/// At least this many lanes in a piece, on average.
constexpr unsigned kLanesInPiece = 4;

} // namespace

std::optional<RequestPlane> planeOf(const abi::WarpAccess &access, std::uint32_t blockWidth) {
  if (std::has_single_bit(access.laneMask))
    return std::nullopt;
  const PlaneSearch ofBlock(access, blockWidth);
  if (access.form == abi::RecordForm::Affine && !ofBlock.hasOneOfEachRow()) {
    const std::uint32_t width = std::max(1u, blockWidth), thread = access.warp * abi::kLanes;
    // Of narrow blocks, what goes on from row to row has a pitch, too.
    const bool isOneRow = thread / width == (thread + abi::kLanes - 1) / width;
    return RequestPlane{access.stride, isOneRow ? 0 : std::int64_t{access.stride} * width, width};
  }
  if (access.form == abi::RecordForm::Range)
    return std::nullopt;
  if (const std::optional<RequestPlane> plane = ofBlock.find())
    return plane;
  // Programs make rows of their own, of threads of one row of the block: `threadIdx.x % 16`.
  for (const std::uint32_t width : {16u, 8u, 4u})
    if (const std::optional<RequestPlane> plane = PlaneSearch(access, width).find(); plane && plane->stride)
      return plane;
  return std::nullopt;
}

/// Whether each lane has the place of its number in one of two arrays, as where a compiler has made one store of two branches'.
bool isOfTwoArrays(const abi::WarpAccess &access, std::uint64_t bytes) {
  std::optional<std::uint64_t> first, second;
  for (std::uint32_t left = access.laneMask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const std::uint64_t begin = access.address[lane] - bytes * lane;
    if (!first || begin == *first)
      first = begin;
    else if (!second || begin == *second)
      second = begin;
    else
      return false;
  }
  return true;
}

const char *patternName(PatternKind kind) {
  static constexpr const char *kNames[] = {
#define CUPR_PATTERN(enumerator, name, what) name,
#include "request_pattern.def"
  };
  return kNames[static_cast<std::size_t>(kind)];
}

RequestPattern patternOf(const Record &record, std::span<const AccessRun> runs, const RequestFigures &figures,
                         std::uint32_t blockWidth) {
  if (figures.sectors == figures.leastSectors)
    return {};
  const auto bytes = static_cast<std::int64_t>(record.site->bytes);
  const std::optional<RequestPlane> plane = planeOf(record.access, blockWidth);
  if (figures.requests > 1)
    return {PatternKind::Structures, plane ? plane->stride.value_or(0) : 0, plane ? plane->pitch : 0};
  if (runs.size() == 1)
    return {PatternKind::Shifted};
  if (plane) {
    const std::int64_t stride = plane->stride.value_or(0);
    if (!plane->stride || std::abs(stride) > bytes)
      return {PatternKind::Strided, stride, plane->pitch};
    if (plane->pitch != 0 && record.access.form != abi::RecordForm::Affine)
      return {PatternKind::Rows, stride, plane->pitch};
    return {PatternKind::Sparse};
  }
  const unsigned lanes = abi::activeLanes(record.access.laneMask);
  if (runs.size() * kLanesInPiece <= lanes)
    return {PatternKind::Pieces};
  return {isOfTwoArrays(record.access, record.site->bytes) ? PatternKind::Sparse : PatternKind::Scattered};
}

RequestPattern patternOf(const Record &record, const BankFigures &figures, std::uint32_t blockWidth) {
  if (figures.excess() == 0)
    return {};
  const std::optional<RequestPlane> plane = planeOf(record.access, blockWidth);
  if (!plane)
    return {PatternKind::Scattered};
  const std::int64_t stride = plane->stride.value_or(0);
  return {std::abs(stride) > record.site->bytes ? PatternKind::Strided : PatternKind::Rows, stride,
          plane->pitch, plane->width};
}

} // namespace cupr::analysis
