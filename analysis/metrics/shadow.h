/// For every byte of memory: who wrote its present version, and who has read it since.
///
/// Memory is cut in pages of 4 KiB; a page is cut in cells of equal size, a power of two:
/// one cell as long as everything in the page has one fate, and smaller cells, down to a
/// byte, only where ranges ask for them. Coalesced programs stay at cells of 128 bytes.
#ifndef CUPR_ANALYSIS_SHADOW_H
#define CUPR_ANALYSIS_SHADOW_H

#include "ranges.h"

#include <cstdint>
#include <memory>
#include <unordered_map>

namespace cupr::analysis {

/// Who wrote: a (launch, CTA), or the host. Numbers are given by the caller.
using EntityId = std::uint32_t;
/// No writer that the trace knows.
inline constexpr EntityId kNobody = 0;

class Shadow {
public:
  /// The version of a run of bytes.
  struct Cell {
    EntityId writer = kNobody;
    std::uint32_t readers = 0; ///< bits, given by the caller; 0 after a write
    friend bool operator==(const Cell &, const Cell &) = default;
  };

  /// Calls `visitor(Range, Cell)` for each run of equal cells in `range` that has a
  /// writer, in ascending order. A run may be given in several parts.
  template <typename Visitor> void visit(const Range &range, Visitor visitor) {
    forEachPage(range, Missing::Skip, [&](std::uint64_t base, Page &page, unsigned begin, unsigned end) {
      forEachRun(page, begin, end, [&](unsigned from, unsigned to, const Cell &cell) {
        if (cell.writer != kNobody)
          visitor(Range{base + from, base + to}, cell);
      });
    });
  }

  /// Adds `readers` to the bytes of `range` that have a writer. Calls
  /// `visitor(Range, Cell)` with what was there before, where that changes something.
  template <typename Visitor> void read(const Range &range, std::uint32_t readers, Visitor visitor) {
    forEachPage(range, Missing::Skip, [&](std::uint64_t base, Page &page, unsigned begin, unsigned end) {
      bool changes = false;
      forEachRun(page, begin, end, [&](unsigned from, unsigned to, const Cell &cell) {
        if (cell.writer != kNobody && (cell.readers & readers) != readers) {
          visitor(Range{base + from, base + to}, cell);
          changes = true;
        }
      });
      if (!changes)
        return;
      refine(page, begin, end);
      for (unsigned i = begin >> page.shift; i < end >> page.shift; ++i)
        if (page.cells[i].writer != kNobody)
          page.cells[i].readers |= readers;
    });
  }

  /// Gives `range` a new version by `writer`, unread. Calls `visitor(Range, Cell)` with
  /// what was there before, bytes without a writer included.
  template <typename Visitor> void write(const Range &range, EntityId writer, Visitor visitor) {
    forEachPage(range, Missing::Make, [&](std::uint64_t base, Page &page, unsigned begin, unsigned end) {
      forEachRun(page, begin, end, [&](unsigned from, unsigned to, const Cell &cell) {
        visitor(Range{base + from, base + to}, cell);
      });
      assign(page, begin, end, Cell{writer, 0});
    });
  }

  /// Forgets `range`, as when memory is freed.
  void clear(const Range &range);

  std::size_t pages() const { return pages_.size(); }

private:
  static constexpr unsigned kPageShift = 12;
  static constexpr unsigned kPageBytes = 1u << kPageShift;

  struct Page {
    Page() : cells(std::make_unique<Cell[]>(1)) {}
    unsigned shift = kPageShift; ///< a cell holds 1 << shift bytes
    std::unique_ptr<Cell[]> cells;
  };

  enum class Missing { Skip, Make };

  /// Makes cells small enough that `begin` and `end` are borders.
  static void refine(Page &page, unsigned begin, unsigned end);
  static void assign(Page &page, unsigned begin, unsigned end, const Cell &cell);
  Page *find(std::uint64_t number, Missing missing);

  template <typename Visitor>
  static void forEachRun(const Page &page, unsigned begin, unsigned end, Visitor visitor) {
    while (begin < end) {
      const Cell cell = page.cells[begin >> page.shift]; // a copy: visitors may not see changes
      unsigned to = begin;
      do
        to = ((to >> page.shift) + 1) << page.shift;
      while (to < end && page.cells[to >> page.shift] == cell);
      to = to < end ? to : end;
      visitor(begin, to, cell);
      begin = to;
    }
  }

  /// Calls `body(address of the page, page, begin, end)`, with offsets in the page.
  template <typename Body> void forEachPage(const Range &range, Missing missing, Body body) {
    for (std::uint64_t at = range.begin; at < range.end;) {
      const std::uint64_t number = at >> kPageShift;
      const std::uint64_t base = number << kPageShift;
      const std::uint64_t left = range.end - base;
      const auto begin = static_cast<unsigned>(at - base);
      const auto end = static_cast<unsigned>(left < kPageBytes ? left : kPageBytes);
      if (Page *page = find(number, missing))
        body(base, *page, begin, end);
      at += end - begin;
    }
  }

  std::unordered_map<std::uint64_t, Page> pages_;
  std::uint64_t lastNumber_ = UINT64_MAX;
  Page *last_ = nullptr; ///< page lastNumber_; null: it is not there
};

} // namespace cupr::analysis

#endif
