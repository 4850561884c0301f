/// The accesses of a block's lanes, and how they become warp records.
///
/// Each lane writes its accesses down as it makes them: row n of the warp's log
/// holds, in the lane's column, the n-th access since the last merge. At a
/// rendezvous of the warp or the block, at the lane's end, or when a log is full,
/// the columns are merged: of the accesses that come next in each lane, those with
/// the smallest key (log_key.h) become one record; then again. Lanes that walk the same path
/// thus give one record per access; after a divergence each side gives its own.
///
/// When a log is full, merging stops as soon as some lane's column is empty:
/// what is left of the others can still meet that lane's next accesses. Whatever
/// the order, each access is in exactly one record.
#ifndef CUPR_CPU_ACCESS_LOG_H
#define CUPR_CPU_ACCESS_LOG_H

#include "access_clock.h"
#include "devicelib/abi/cpu_device.h"
#include "devicelib/abi/memory_space.h"
#include "devicelib/abi/record.h"
#include "lane_state.h"

#include <memory>

namespace cupr::cpu {

/// What accesses of one row read and wrote, in pieces (devicelib/abi/value_record.h). Lanes of a row may be at different sites. The
/// clocks of an access that is timed are known when its record is made (access_clock.h).
struct RowValues {
  std::uint64_t piece[abi::kMaxValuePieces][abi::kLanes];
  std::uint32_t what[abi::kLanes];     ///< abi::packValues
  abi::MemorySpace space[abi::kLanes]; ///< of those that are timed
};

/// Collects the records of one block and hands them to the sink, at most 64 KiB
/// at a time.
class RecordBuffer {
public:
  void open(abi::RecordSink *sink, std::uint64_t cta, std::uint32_t sm) {
    sink_ = sink;
    cta_ = cta;
    sm_ = sm;
    clock_.open();
  }
  /// The records that follow belong to `launch`.
  void launch(std::uint64_t launch) {
    if (launch != launch_)
      flush();
    launch_ = launch;
  }
  /// One record: the lanes in `mask` accessed `address[lane]` at `site`.
  void add(std::uint32_t site, std::uint32_t mask, std::uint32_t warp, const std::uint64_t *address);
  /// The same for accesses of `bytes[lane]` bytes.
  void addRange(std::uint32_t site, std::uint32_t mask, std::uint32_t warp, const std::uint64_t *address,
                const std::uint64_t *bytes);
  /// The values of the record that was added last, of the same lanes.
  void addValues(std::uint32_t mask, std::uint32_t warp, const std::uint64_t *address,
                 const RowValues &values);
  void flush();

private:
  unsigned char *room();
  abi::WarpAccess accessOf(std::uint32_t site, std::uint32_t mask, std::uint32_t warp,
                           const std::uint64_t *address) const;

  static constexpr std::uint32_t kWords = 4096;
  abi::RecordSink *sink_ = nullptr;
  std::uint64_t launch_ = 0, cta_ = 0;
  std::uint32_t sm_ = 0, used_ = 0;
  AccessClock clock_;
  std::unique_ptr<unsigned char[]> words_;
};

/// The log of one warp. `end[lane]` is the lane's next free row.
class WarpLog {
public:
  static constexpr unsigned kRows = 128;

  /// Makes the rows exist and empty.
  void open();
  LogRow *end[32];
  LogRow *limit() const { return rows_.get() + kRows; }
  bool full(unsigned lane) const { return end[lane] == limit(); }
  /// Where the number of bytes of a range stands, whose row the lane has just written.
  std::uint64_t &bytesOf(const LogRow *row, unsigned lane);
  /// Where the values of the access stand whose row a lane has just written.
  RowValues &valuesOf(const LogRow *row);
  /// Merges everything in the columns of the lanes in `mask`.
  void drain(std::uint32_t mask, std::uint32_t warp, RecordBuffer &records);
  /// Merges until a column that was full is empty, and moves the rest up.
  void relieve(std::uint32_t warp, RecordBuffer &records);
  /// Lanes with something in their columns.
  std::uint32_t pending() const;

private:
  struct Lengths {
    std::uint64_t lane[32];
  };

  /// What stands beside a row; may be null where nothing does.
  struct Beside {
    const std::uint64_t *bytes;
    const RowValues *values;
  };
  Beside beside(std::uint32_t row) const {
    return {bytes_ ? bytes_[row].lane : nullptr, values_ ? &values_[row] : nullptr};
  }

  std::unique_ptr<LogRow[]> rows_;
  /// Beside the rows, from the first range on; most programs have none.
  std::unique_ptr<Lengths[]> bytes_;
  /// Likewise, from the first access with values on.
  std::unique_ptr<RowValues[]> values_;
};

} // namespace cupr::cpu

#endif
