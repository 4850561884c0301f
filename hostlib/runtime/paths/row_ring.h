/// Rows that one thread hands to another, without waiting for it.
///
/// A program's thread must not wait for whoever packs what it has noted: that one may have lost its processor, or be writing to a disk. So
/// the two share no lock. Rows lie in a circle between two counts, which only grow: of the rows that the thread has written, and of those
/// that were collected. The thread writes a row and then publishes the count that has it; a collector reads the rows below that count and
/// then publishes that they may be written anew. Either is a store with release that the other loads with acquire; neither is ever tried
/// again, so the thread does its part in a bounded number of steps, whatever the other does. Where the circle is full it is told so.
///
/// test/model takes every order in which a thread and a collector can take these steps.
#ifndef CUPR_RUNTIME_ROW_RING_H
#define CUPR_RUNTIME_ROW_RING_H

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace cupr::host {

/// `Count`: std::atomic, or what a model takes for it.
template <typename Row, typename Count = std::atomic<std::uint64_t>> class RowRing {
public:
  /// Of `rows` rows, a power of two. Their memory is first touched when they are written.
  explicit RowRing(std::size_t rows) : rows_(new Row[rows]), mask_(rows - 1) {}

  /// The thread's own. False: there is no room, and nothing was done.
  bool push(const Row &row) noexcept {
    if (written_ - collectedSeen_ > mask_) {
      collectedSeen_ = collected_.load(std::memory_order_acquire);
      if (written_ - collectedSeen_ > mask_)
        return false;
    }
    rows_[written_ & mask_] = row;
    published_.store(++written_, std::memory_order_release);
    return true;
  }
  /// The thread's own: rows so far.
  std::uint64_t written() const noexcept { return written_; }

  /// From any thread: rows that wait. Meanwhile more may come.
  std::size_t waiting() const noexcept {
    const std::uint64_t collected =
        collected_.load(std::memory_order_acquire); // so that the other count is none older
    return static_cast<std::size_t>(published_.load(std::memory_order_relaxed) - collected);
  }
  /// `take(const Row &)`, which must not throw, for each row that waits. By one thread at a time: whoever was the last must be known to
  /// the next, as by a mutex.
  template <typename Take> void collect(Take take) noexcept {
    const std::uint64_t end = published_.load(std::memory_order_acquire);
    for (std::uint64_t at = collected_.load(std::memory_order_relaxed); at != end; ++at)
      take(rows_[at & mask_]);
    collected_.store(end, std::memory_order_release);
  }

private:
  static constexpr std::size_t kLine =
      64; ///< of a processor's cache: neither count's writer takes the other's

  const std::unique_ptr<Row[]> rows_;
  const std::uint64_t mask_;
  std::uint64_t written_ = 0, collectedSeen_ = 0;
  alignas(kLine) Count published_{0};
  alignas(kLine) Count collected_{0};
};

} // namespace cupr::host

#endif
