#include "access_log.h"

#include "log_key.h"

#include <algorithm>
#include <iterator>

namespace cupr::cpu {

namespace {

/// Whether all 32 addresses form an arithmetic sequence that a record can hold.
__attribute__((target_clones("avx512f", "avx2", "default"))) bool affineRow(const std::uint64_t *address,
                                                                            std::int64_t stride) {
  std::uint64_t wrong = 0;
  for (unsigned lane = 0; lane < 32; ++lane)
    wrong |= (address[0] + static_cast<std::uint64_t>(stride) * lane) ^ address[lane];
  return wrong == 0;
}

__attribute__((target_clones("avx512f", "avx2", "default"))) bool sameKey(const std::uint32_t *key) {
  std::uint32_t wrong = 0;
  for (unsigned lane = 1; lane < 32; ++lane)
    wrong |= key[0] ^ key[lane];
  return wrong == 0;
}

} // namespace

/// Where the next record goes, whatever its form.
unsigned char *RecordBuffer::room() {
  if (!words_)
    words_.reset(new unsigned char[kWords * abi::kWordBytes]);
  if (used_ + abi::kMaxClaimWords > kWords)
    flush();
  return words_.get() + used_ * abi::kWordBytes;
}

abi::WarpAccess RecordBuffer::accessOf(std::uint32_t site, std::uint32_t mask, std::uint32_t warp,
                                       const std::uint64_t *address) const {
  abi::WarpAccess access;
  access.site = site;
  access.laneMask = mask;
  access.cta = cta_;
  access.warp = warp;
  access.sm = sm_;
  std::memcpy(access.address, address, sizeof access.address);
  return access;
}

void RecordBuffer::addRange(std::uint32_t site, std::uint32_t mask, std::uint32_t warp,
                            const std::uint64_t *address, const std::uint64_t *bytes) {
  unsigned char *out = room();
  abi::WarpAccess access = accessOf(site, mask, warp, address);
  std::memcpy(access.bytes, bytes, sizeof access.bytes);
  used_ += abi::encodeRange(access, 0, out);
}

void RecordBuffer::addValues(std::uint32_t mask, std::uint32_t warp, const std::uint64_t *address,
                             const RowValues &values) { // room() has left some for them
  const int first = __builtin_ctz(mask);
  const abi::HookValues what = abi::unpackValues(values.what[first]);
  const auto write = [&](std::uint32_t piece, const std::uint64_t *of) {
    used_ += abi::writeValue(abi::bytesOfPieceAmong(what.shape, piece), mask, of,
                             words_.get() + used_ * abi::kWordBytes);
  };
  const std::uint32_t clock = abi::valuePieces(what.shape);
  for (std::uint32_t i = 0; i < (what.shape.hasDuration ? clock : abi::piecesOf(what.shape)); ++i)
    write(i, values.piece[i]);
  if (!what.shape.hasDuration)
    return;
  const AccessClock::Times times =
      clock_.pass(warp, modelledCycles(values.space[first], what.shape.bytes, mask, address), what.scheme);
  const auto writeAlike = [&](std::uint32_t piece, std::uint64_t value) {
    std::uint64_t all[abi::kLanes];
    std::fill(std::begin(all), std::end(all), value);
    write(piece, all);
  };
  writeAlike(clock, times.began);
  writeAlike(clock + 1, times.duration);
}

void RecordBuffer::add(std::uint32_t site, std::uint32_t mask, std::uint32_t warp,
                       const std::uint64_t *address) {
  unsigned char *out = room();
  if (mask == 0xffffffffu) {
    const std::int64_t stride = static_cast<std::int64_t>(address[1] - address[0]);
    if (stride == static_cast<std::int32_t>(stride) && affineRow(address, stride)) {
      const abi::RecordHead head{abi::packSite(site & abi::kSiteMask, abi::RecordForm::Affine),
                                 mask,
                                 cta_,
                                 address[0],
                                 static_cast<std::uint32_t>(stride),
                                 abi::packWhere(warp, sm_, 0)};
      std::memcpy(out, &head, sizeof head);
      used_ += abi::kHeadWords;
      return;
    }
  }
  used_ += abi::encodeRecord(accessOf(site, mask, warp, address), 0, out, __cupr_cpu_lane.ntid[0]);
}

void RecordBuffer::flush() {
  if (used_ && sink_)
    sink_->records(launch_, words_.get(), used_);
  used_ = 0;
}

void WarpLog::open() {
  if (!rows_)
    rows_.reset(new LogRow[kRows]());
  for (LogRow *&lane : end)
    lane = rows_.get();
}

std::uint64_t &WarpLog::bytesOf(const LogRow *row, unsigned lane) {
  if (!bytes_)
    bytes_.reset(new Lengths[kRows]());
  return bytes_[static_cast<std::size_t>(row - rows_.get())].lane[lane];
}

RowValues &WarpLog::valuesOf(const LogRow *row) {
  if (!values_)
    values_.reset(new RowValues[kRows]());
  return values_[static_cast<std::size_t>(row - rows_.get())];
}

std::uint32_t WarpLog::pending() const {
  std::uint32_t mask = 0;
  for (unsigned lane = 0; lane < 32; ++lane)
    mask |= std::uint32_t(end[lane] != rows_.get()) << lane;
  return mask;
}

namespace {

/// `bytes`: for ranges, `values`: for accesses with values; may be null when there has been none.
void emit(RecordBuffer &records, std::uint32_t key, std::uint32_t mask, std::uint32_t warp,
          const std::uint64_t *address, const std::uint64_t *bytes, const RowValues *values) {
  if (isMark(key))
    return;
  if (isRange(key))
    records.addRange(keySite(key), mask, warp, address, bytes);
  else
    records.add(keySite(key), mask, warp, address);
  if (hasValues(key))
    records.addValues(mask, warp, address, *values);
}

/// Copies what a lane has there.
void takeLane(RowValues &to, const RowValues &from, unsigned lane) {
  to.what[lane] = from.what[lane];
  to.space[lane] = from.space[lane];
  for (unsigned i = 0; i < abi::kMaxValuePieces; ++i)
    to.piece[i][lane] = from.piece[i][lane];
}

constexpr std::uint32_t kNothingLeft = 0xffffffffu;

__attribute__((target_clones("avx512f", "avx2", "default"))) std::uint32_t
leastKey(const std::uint32_t *key) {
  std::uint32_t least = key[0];
  for (unsigned lane = 1; lane < 32; ++lane)
    least = key[lane] < least ? key[lane] : least;
  return least;
}

/// Walks the columns of a log from the front. `beside(row)` gives what stands beside a row.
template <typename BesideRow> class Merge {
public:
  Merge(const LogRow *rows, BesideRow beside, std::uint32_t warp, RecordBuffer &records)
      : rows_(rows), beside_(beside), warp_(warp), records_(records) {}

  /// A lane's accesses that are left: in the rows from `from` to before `to`.
  void add(unsigned lane, std::uint32_t from, std::uint32_t to) {
    head[lane] = from;
    end_[lane] = to;
    key_[lane] = from < to ? rows_[from].key[lane] : kNothingLeft;
  }

  bool finished() const { return leastKey(key_) == kNothingLeft; }

  /// Emits the record that comes next. Returns the lanes that it emptied.
  std::uint32_t step() {
    const std::uint32_t key = leastKey(key_);
    std::uint64_t address[32] = {}, length[32];
    RowValues values; // not zeroed: most have none
    std::uint32_t mask = 0, emptied = 0;
    for (unsigned lane = 0; lane < 32; ++lane)
      mask |= std::uint32_t(key_[lane] == key) << lane;
    for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
      const unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
      const std::uint32_t row = head[lane]++;
      address[lane] = rows_[row].address[lane];
      if (isRange(key))
        length[lane] = beside_(row).bytes[lane];
      if (hasValues(key))
        takeLane(values, *beside_(row).values, lane);
      const bool more = row + 1 < end_[lane];
      key_[lane] = more ? rows_[row + 1].key[lane] : kNothingLeft;
      emptied |= std::uint32_t(!more) << lane;
    }
    emit(records_, key, mask, warp_, address, length, &values);
    return emptied;
  }

  std::uint32_t head[32]; ///< by lane, the row that comes next

private:
  const LogRow *rows_;
  BesideRow beside_;
  std::uint32_t warp_;
  RecordBuffer &records_;
  std::uint32_t end_[32], key_[32];
};

} // namespace

void WarpLog::drain(std::uint32_t mask, std::uint32_t warp, RecordBuffer &records) {
  // A warp at a barrier has mostly nothing to tell, or all its lanes the same number of accesses.
  std::uintptr_t used = 0, uneven = 0;
  for (const LogRow *lane : end) {
    used |= reinterpret_cast<std::uintptr_t>(lane) ^ reinterpret_cast<std::uintptr_t>(rows_.get());
    uneven |= reinterpret_cast<std::uintptr_t>(lane) ^ reinterpret_cast<std::uintptr_t>(end[0]);
  }
  if (!used)
    return;
  // All lanes side by side: row by row, for as long as they stay at one site.
  std::uint32_t row = 0;
  if (mask == 0xffffffffu && !uneven) {
    const auto count = static_cast<std::uint32_t>(end[0] - rows_.get());
    for (; row < count && sameKey(rows_[row].key); ++row)
      emit(records, rows_[row].key[0], mask, warp, rows_[row].address, beside(row).bytes, beside(row).values);
    if (row == count) {
      open();
      return;
    }
  }
  Merge merge(rows_.get(), [this](std::uint32_t at) { return beside(at); }, warp, records);
  for (unsigned lane = 0; lane < 32; ++lane) {
    const bool wanted = mask >> lane & 1u;
    merge.add(lane, row, wanted ? static_cast<std::uint32_t>(end[lane] - rows_.get()) : row);
    if (wanted)
      end[lane] = rows_.get();
  }
  while (!merge.finished())
    merge.step();
}

void WarpLog::relieve(std::uint32_t warp, RecordBuffer &records) {
  std::uint32_t wanted = 0;
  for (unsigned lane = 0; lane < 32; ++lane)
    wanted |= std::uint32_t(full(lane)) << lane;
  std::uint32_t row = 0;
  if (wanted == 0xffffffffu) {
    for (; row < kRows && sameKey(rows_[row].key); ++row)
      emit(records, rows_[row].key[0], 0xffffffffu, warp, rows_[row].address, beside(row).bytes,
           beside(row).values);
    if (row == kRows) {
      open();
      return;
    }
  }
  Merge merge(rows_.get(), [this](std::uint32_t at) { return beside(at); }, warp, records);
  for (unsigned lane = 0; lane < 32; ++lane)
    merge.add(lane, row, static_cast<std::uint32_t>(end[lane] - rows_.get()));
  while (!(merge.step() & wanted)) {
  }
  for (unsigned lane = 0; lane < 32; ++lane) {
    const std::uint32_t first = merge.head[lane];
    const auto rest = static_cast<std::uint32_t>(end[lane] - rows_.get()) - first;
    for (std::uint32_t at = 0; first && at < rest; ++at) {
      rows_[at].address[lane] = rows_[first + at].address[lane];
      rows_[at].key[lane] = rows_[first + at].key[lane];
      if (bytes_)
        bytes_[at].lane[lane] = bytes_[first + at].lane[lane];
      if (values_)
        takeLane(values_[at], values_[first + at], lane);
    }
    end[lane] = rows_.get() + rest;
  }
}

} // namespace cupr::cpu
