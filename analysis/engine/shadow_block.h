/// The values of 128 bytes that lie one behind the other, kept as runs of equal ones.
///
/// What coalesced warps touch is one run; the halo of a stencil makes two or three; scattered accesses make
/// as many as there are elements. Fixed cells of the smallest size asked for would make a block that is cut
/// once, at an odd place, as dear as one of which every byte differs; so borders are kept as bits, and there
/// is one value for each run. Where there are several, they lie in a pool that the blocks of a shadow share:
/// it must be the same one for all of a block's life, and forgets the block's runs with the block.
///
/// A list of runs is dear to change where each access makes one more: all behind it move. So a block that was
/// cut into many, all of them words of four bytes, is kept word by word: then neighbours may be equal, and a
/// word is found without looking for it. Whoever asks still sees them as one run.
#ifndef CUPR_ANALYSIS_SHADOW_BLOCK_H
#define CUPR_ANALYSIS_SHADOW_BLOCK_H

#include "analysis/model/unnamed_file.h"
#include "cell_pool.h"
#include "memory_page.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace cupr::analysis {

/// `Cell` is a plain value. Offsets are from 0 to kBytes.
template <typename Cell> class ShadowBlock {
  static_assert(std::is_trivially_copyable_v<Cell>);

public:
  static constexpr unsigned kShift = kBlockShift, kBytes = 1u << kShift, kWordBytes = 4;

  using Pool = CellPool<Cell>;

  ShadowBlock() : ShadowBlock(Cell{}) {}
  explicit ShadowBlock(const Cell &whole) : whole_(whole) {}
  ShadowBlock(const ShadowBlock &) = delete;
  ShadowBlock &operator=(const ShadowBlock &) = delete;

  /// Goes through the runs, from the first.
  class Cursor {
  public:
    explicit Cursor(const ShadowBlock &block)
        : block_(block), cell_(block.cells()), end_(block.borderBehind(0)) {
      goToEnd();
    }
    const Cell &cell() const { return *cell_; }
    unsigned end() const { return end_; } ///< of the run
    void next() {
      ++cell_;
      end_ = block_.borderBehind(end_);
      goToEnd();
    }

  private:
    /// Of words that are equal.
    void goToEnd() {
      if (block_.isOfWords())
        for (; end_ != kBytes && cell_[1] == cell_[0]; ++cell_)
          end_ += kWordBytes;
    }

    const ShadowBlock &block_;
    const Cell *cell_;
    unsigned end_;
  };

  /// Runs in the making, ascending; what equals the one before it belongs to it.
  class Runs {
  public:
    Runs() {} // cells are set as they are needed
    void put(unsigned begin, const Cell &cell) {
      if (count_ != 0 && cells_[count_ - 1] == cell)
        return;
      assert(begin < kBytes && (count_ == 0 || begins_[count_ - 1] < begin));
      begins_[count_] = static_cast<std::uint8_t>(begin);
      cells_[count_++] = cell;
    }

  private:
    friend class ShadowBlock;
    union {
      Cell cells_[kBytes];
    };
    std::uint8_t begins_[kBytes];
    unsigned count_ = 0;
  };

  bool isWhole() const { return (borders_[0] | borders_[1]) == 0; } ///< one run
  /// The cell of the only run.
  const Cell &whole() const { return whole_; }
  Cell &whole() { return whole_; }
  bool isWholly(const Cell &cell) const { return isWhole() && whole_ == cell; }
  /// One run from now on.
  void assign(const Cell &cell, Pool &pool) {
    forgetRuns(pool);
    borders_ = {};
    whole_ = cell;
  }
  /// The runs begin at 0.
  void assign(const Runs &runs, Pool &pool) { replace(0, count(), runs, kBytes, pool); }

  /// Calls `visitor(begin, end, const Cell &)` for the parts of runs in [begin, end), ascending.
  template <typename Visitor> void visit(unsigned begin, unsigned end, Visitor visitor) const {
    if (isOfWords())
      return visitWords(begin, end, visitor);
    const Cell *cell = cells() + runAt(begin);
    for (unsigned at = begin; at < end; ++cell) {
      const unsigned to = std::min(end, borderBehind(at));
      visitor(at, to, *cell);
      at = to;
    }
  }

  /// Calls `change(begin, end, Cell &)` for the parts of runs in [begin, end) for which `wants(const Cell
  /// &)`, and `keep(begin, end, const Cell &)` for the others.
  template <typename Wants, typename Change, typename Keep>
  void change(unsigned begin, unsigned end, Pool &pool, Wants &wants, Change &&change, Keep &keep) {
    if (isOfWords()) {
      if ((begin | end) % kWordBytes == 0)
        return changeWords(begin, end, pool, wants, change, keep);
      joinWords(pool);
    }
    changeRuns(begin, end, pool, wants, change, keep);
    if (isCutIntoWords())
      spread(pool);
  }

  /// The value of the word at `offset`, if the block is kept word by word, or null.
  const Cell *wordAt(unsigned offset) const { return isOfWords() ? runs_ + offset / kWordBytes : nullptr; }
  /// Asks for the memory of what this byte has.
  void prefetch(unsigned offset) const {
    if (!isWhole())
      __builtin_prefetch(runs_ + runAt(offset));
  }
  void save(std::FILE *file) const {
    writeAll(file, borders_.data(), sizeof borders_);
    writeAll(file, cells(), count() * sizeof(Cell));
  }
  /// Into a new block.
  void load(std::FILE *file, Pool &pool) {
    readAll(file, borders_.data(), sizeof borders_);
    if (!isWhole())
      runs_ = pool.take(std::bit_ceil(count()));
    readAll(file, isWhole() ? &whole_ : runs_, count() * sizeof(Cell));
  }

private:
  static constexpr unsigned kWords = kBytes / kWordBytes;
  static constexpr std::uint64_t kWordBorders = 0x1111111111111111u;
  /// As a list, more runs of words than that are dearer to change than to keep as words.
  static constexpr unsigned kMostListed = 8;

  template <typename Wants, typename Change, typename Keep>
  void changeRuns(unsigned begin, unsigned end, Pool &pool, Wants &wants, Change &change, Keep &keep) {
    const unsigned first = runAt(begin), stopOfFirst = borderBehind(begin);
    if (stopOfFirst >= end) {
      if (const Cell &cell = cells()[first]; !wants(cell))
        return keep(begin, end, cell);
    } else if (!wantsAny(begin, end, wants)) {
      return visit(begin, end, keep);
    }
    if (end - begin == kBytes && isWhole())
      return change(begin, end, whole_);
    const unsigned start = beginAt(begin);
    if (start == begin && stopOfFirst == end)
      return changeRun(first, begin, end, pool, change);
    const unsigned last = runAt(end - 1), stop = borderBehind(end - 1);
    // What the runs around the change keep, and equal neighbours, become one with it.
    Runs made;
    if (start < begin)
      made.put(start, cells()[first]);
    else if (first != 0)
      made.put(beginAt(begin - 1), cells()[first - 1]);
    for (unsigned at = begin, run = first; at < end; ++run) {
      const unsigned to = std::min(end, borderBehind(at));
      Cell cell = cells()[run];
      if (wants(cell))
        change(at, to, cell);
      else
        keep(at, to, std::as_const(cell));
      made.put(at, cell);
      at = to;
    }
    const unsigned from = start < begin || first == 0 ? first : first - 1;
    if (stop > end) {
      made.put(end, cells()[last]);
      replace(from, last + 1, made, stop, pool);
    } else if (end != kBytes) {
      made.put(end, cells()[last + 1]);
      replace(from, last + 2, made, borderBehind(end), pool);
    } else {
      replace(from, last + 1, made, kBytes, pool);
    }
  }

  const Cell *cells() const { return isWhole() ? &whole_ : runs_; }
  unsigned count() const {
    return isWhole() ? 1 : static_cast<unsigned>(std::popcount(borders_[0]) + std::popcount(borders_[1]));
  }
  void forgetRuns(Pool &pool) {
    if (!isWhole())
      pool.give(runs_, std::bit_ceil(count()));
  }
  /// The bits up to and with `offset`.
  static std::uint64_t upTo(unsigned offset) { return ~std::uint64_t{0} >> (63 - offset); }
  /// The number of the run with this byte.
  unsigned runAt(unsigned offset) const {
    if (isWhole())
      return 0;
    const int below = offset < 64
                          ? std::popcount(borders_[0] & upTo(offset))
                          : std::popcount(borders_[0]) + std::popcount(borders_[1] & upTo(offset - 64));
    return static_cast<unsigned>(below) - 1;
  }
  /// Where the run with this byte begins.
  unsigned beginAt(unsigned offset) const {
    if (offset >= 64)
      if (const std::uint64_t below = borders_[1] & upTo(offset - 64); below != 0)
        return 127 - static_cast<unsigned>(std::countl_zero(below));
    const std::uint64_t below = offset >= 64 ? borders_[0] : borders_[0] & upTo(offset);
    return below == 0 ? 0 : 63 - static_cast<unsigned>(std::countl_zero(below));
  }
  /// Where the run with this byte ends.
  unsigned borderBehind(unsigned offset) const {
    if (offset < 64)
      if (const std::uint64_t above = borders_[0] & ~upTo(offset); above != 0)
        return static_cast<unsigned>(std::countr_zero(above));
    const std::uint64_t above = offset < 64 ? borders_[1] : borders_[1] & ~upTo(offset - 64);
    return above == 0 ? kBytes : 64 + static_cast<unsigned>(std::countr_zero(above));
  }

  template <typename Wants> bool wantsAny(unsigned begin, unsigned end, Wants &wants) const {
    const Cell *cell = cells() + runAt(begin);
    for (unsigned at = begin; at < end; at = borderBehind(at), ++cell)
      if (wants(*cell))
        return true;
    return false;
  }

  /// Runs of equal ones in [begin, end): calls `take(begin, end, word)`.
  template <typename Take> void forEachOfWords(unsigned begin, unsigned end, Take take) const {
    for (unsigned at = begin; at < end;) {
      const unsigned word = at / kWordBytes;
      unsigned next = word + 1;
      while (next * kWordBytes < end && runs_[next] == runs_[word])
        ++next;
      const unsigned to = std::min(end, next * kWordBytes);
      take(at, to, word);
      at = to;
    }
  }
  template <typename Visitor> void visitWords(unsigned begin, unsigned end, Visitor &visitor) const {
    forEachOfWords(begin, end, [&](unsigned at, unsigned to, unsigned word) {
      visitor(at, to, std::as_const(runs_[word]));
    });
  }
  template <typename Wants, typename Change, typename Keep>
  void changeWords(unsigned begin, unsigned end, Pool &pool, Wants &wants, Change &change, Keep &keep) {
    forEachOfWords(begin, end, [&](unsigned at, unsigned to, unsigned word) {
      if (!wants(std::as_const(runs_[word])))
        return keep(at, to, std::as_const(runs_[word]));
      change(at, to, runs_[word]);
      std::fill(runs_ + word + 1, runs_ + to / kWordBytes, runs_[word]);
    });
    if (end - begin == kBytes)
      joinWords(pool);
  }
  /// Borders at all words: as of a list of runs where all of them differ.
  bool isOfWords() const { return borders_[0] == kWordBorders && borders_[1] == kWordBorders; }
  bool isCutIntoWords() const {
    return ((borders_[0] | borders_[1]) & ~kWordBorders) == 0 && count() > kMostListed && !isOfWords();
  }
  /// From a list of runs to words.
  void spread(Pool &pool) {
    Cell *const words = pool.take(kWords);
    visit(0, kBytes, [&](unsigned at, unsigned to, const Cell &cell) {
      std::fill(words + at / kWordBytes, words + to / kWordBytes, cell);
    });
    forgetRuns(pool);
    runs_ = words;
    borders_ = {kWordBorders, kWordBorders};
  }
  /// And back.
  void joinWords(Pool &pool) {
    Runs made;
    forEachOfWords(0, kBytes, [&](unsigned at, unsigned, unsigned word) { made.put(at, runs_[word]); });
    assign(made, pool);
  }

  /// One whole run of several.
  template <typename Change>
  void changeRun(unsigned run, unsigned begin, unsigned end, Pool &pool, Change &change) {
    change(begin, end, runs_[run]);
    const bool joinsBefore = begin != 0 && runs_[run] == runs_[run - 1];
    const bool joinsBehind = end != kBytes && runs_[run] == runs_[run + 1];
    if (!joinsBefore && !joinsBehind)
      return;
    Runs made;
    made.put(joinsBefore ? beginAt(begin - 1) : begin, runs_[run]);
    replace(run - joinsBefore, run + 1 + joinsBehind, made, joinsBehind ? borderBehind(end) : end, pool);
  }

  /// The runs [from, to), which end at `stop`, become those that were made.
  void replace(unsigned from, unsigned to, const Runs &made, unsigned stop, Pool &pool) {
    assert(from < to && to <= count() && made.count_ != 0 && stop <= kBytes);
    const unsigned before = count(), after = before - (to - from) + made.count_, behind = before - to;
    if (after == 1)
      return assign(made.cells_[0], pool);
    if (isWhole() || std::bit_ceil(after) != std::bit_ceil(before)) {
      Cell *const runs = pool.take(std::bit_ceil(after));
      std::copy_n(cells(), from, runs);
      std::copy_n(cells() + to, behind, runs + from + made.count_);
      forgetRuns(pool);
      runs_ = runs;
    } else if (to - from != made.count_) {
      std::memmove(static_cast<void *>(runs_ + from + made.count_), runs_ + to, behind * sizeof(Cell));
    }
    std::copy_n(made.cells_, made.count_, runs_ + from);
    for (unsigned at = made.begins_[0]; (at = borderBehind(at)) < stop;)
      borders_[at / 64] &= ~(std::uint64_t{1} << at % 64);
    borders_[0] |= 1;
    for (unsigned i = 0; i < made.count_; ++i)
      borders_[made.begins_[i] / 64] |= std::uint64_t{1} << made.begins_[i] % 64;
    assert(count() == after);
  }

  std::array<std::uint64_t, 2> borders_{}; ///< bit n: byte n begins a run; none: there is one run
  union {
    Cell whole_; ///< if there is one run
    Cell *runs_; ///< else: room for the next power of two
  };
};

} // namespace cupr::analysis

#endif
