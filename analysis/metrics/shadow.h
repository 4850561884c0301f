/// A value for every byte of memory, kept by ranges: pages of 4 KiB, and blocks in them (shadow_block.h).
#ifndef CUPR_ANALYSIS_SHADOW_H
#define CUPR_ANALYSIS_SHADOW_H

#include "ranges.h"
#include "shadow_block.h"
#include "unnamed_file.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace cupr::analysis {

inline constexpr unsigned kPageShift = 12;
inline constexpr std::uint64_t kPageBytes = std::uint64_t{1} << kPageShift;

/// `Cell` is a plain value whose default stands for bytes that nothing was said of.
template <typename Cell> class Shadow {
public:
  /// Calls `visitor(Range, const Cell &)` for runs of equal bytes in `range` that something was said of, in
  /// ascending order. A run may be given in parts. Visitors must not change the shadow.
  template <typename Visitor> void visit(const Range &range, Visitor visitor) {
    forEachPage(range, Missing::Skip, [&](std::uint64_t base, Page &page, unsigned begin, unsigned end) {
      forEachRun(page, begin, end, [&](unsigned from, unsigned to, const Cell &cell) {
        if (cell != Cell{})
          visitor(Range{base + from, base + to}, cell);
      });
    });
  }

  /// Calls `change(Range, Cell &)` for runs of equal bytes in `range` for which `wants(const Cell &)`. With
  /// Missing::Skip bytes in pages that nothing was said of are left out.
  enum class Missing { Skip, Make };
  template <typename Wants, typename Change>
  void change(const Range &range, Missing missing, Wants wants, Change change) {
    forEachPage(range, missing, [&](std::uint64_t base, Page &page, unsigned begin, unsigned end) {
      for (unsigned from = begin; from < end;) {
        Block &block = page.blocks[from >> Block::kShift];
        const unsigned first = from & ~(Block::kBytes - 1), to = std::min(end, first + Block::kBytes);
        const unsigned outside = block.outside();
        block.change(from - first, to - first, wants, [&](unsigned at, unsigned stop, Cell &cell) {
          change(Range{base + first + at, base + first + stop}, cell);
        });
        outside_ += block.outside();
        outside_ -= outside;
        from = to;
      }
    });
  }

  /// Forgets `range`, as when memory is freed.
  void clear(const Range &range) {
    const std::uint64_t firstWhole = (range.begin >> kPageShift) + (range.begin % kPageBytes != 0);
    const std::uint64_t endWhole = range.end >> kPageShift;
    const auto clearPart = [&](std::uint64_t begin, std::uint64_t end) {
      if (begin < end)
        change(
            {begin, end}, Missing::Skip, [](const Cell &cell) { return cell != Cell{}; },
            [](const Range &, Cell &cell) { cell = {}; });
    };
    clearPart(range.begin, std::min(range.end, firstWhole << kPageShift));
    clearPart(std::max(range.begin, endWhole << kPageShift),
              firstWhole <= endWhole ? range.end : range.begin);
    // Big ranges: go through what is there instead of what could be.
    if (endWhole > firstWhole && endWhole - firstWhole > pages_.size())
      std::erase_if(pages_, [&](const auto &entry) {
        const bool gone = entry.first >= firstWhole && entry.first < endWhole;
        outside_ -= gone ? entry.second->outside() : 0;
        return gone;
      });
    else
      for (std::uint64_t number = firstWhole; number < endWhole; ++number)
        if (const auto found = pages_.find(number); found != pages_.end()) {
          outside_ -= found->second->outside();
          pages_.erase(found);
        }
    recent_ = {};
  }

  void clear() {
    pages_.clear();
    outside_ = 0;
    recent_ = {};
  }

  /// Calls `change(Range, const A &, const B &, Cell &)` for runs, equal in all three, of the bytes that
  /// something was said of in `a` or `b`.
  template <typename A, typename B, typename Change>
  void settle(const Shadow<A> &a, const Shadow<B> &b, Change change) {
    static const typename Shadow<A>::Page noneOfA;
    static const typename Shadow<B>::Page noneOfB;
    const auto settlePage = [&](std::uint64_t number, const auto &pageOfA, const auto &pageOfB) {
      Page &page = *find(number, Missing::Make);
      for (unsigned i = 0; i < page.blocks.size(); ++i)
        settleBlock((number << kPageShift) + i * Block::kBytes, pageOfA.blocks[i], pageOfB.blocks[i],
                    page.blocks[i], change);
    };
    for (const auto &[number, page] : a.pages_) {
      const auto other = b.pages_.find(number);
      settlePage(number, *page, other == b.pages_.end() ? noneOfB : *other->second);
    }
    for (const auto &[number, page] : b.pages_)
      if (!a.pages_.count(number))
        settlePage(number, noneOfA, *page);
  }

  /// Writes all to a file and forgets it; takes it back.
  void save(std::FILE *file) {
    const std::uint64_t count = pages_.size();
    writeAll(file, &count, sizeof count);
    for (const auto &[number, page] : pages_) {
      writeAll(file, &number, sizeof number);
      for (const Block &block : page->blocks)
        block.save(file);
    }
    clear();
  }
  void load(std::FILE *file) {
    std::uint64_t count = 0, number = 0;
    for (readAll(file, &count, sizeof count); count != 0; --count) {
      readAll(file, &number, sizeof number);
      auto page = std::make_unique<Page>();
      for (Block &block : page->blocks)
        block.load(file);
      outside_ += page->outside();
      pages_[number] = std::move(page);
    }
  }

  bool empty() const { return pages_.empty(); }
  /// Memory in use, about.
  std::uint64_t bytes() const { return pages_.size() * (sizeof(Page) + 64) + outside_ * sizeof(Cell); }

private:
  template <typename Other> friend class Shadow;
  using Block = ShadowBlock<Cell>;
  struct Page {
    std::array<Block, kPageBytes / Block::kBytes> blocks;
    std::uint64_t outside() const {
      std::uint64_t sum = 0;
      for (const Block &block : blocks)
        sum += block.outside();
      return sum;
    }
  };
  struct Recent {
    std::uint64_t number = UINT64_MAX;
    Page *page = nullptr; ///< null: there is none
  };
  static constexpr unsigned kRecent = 16;

  /// Calls `visitor(begin, end, const Cell &)` for runs, also across blocks.
  template <typename Visitor>
  static void forEachRun(const Page &page, unsigned begin, unsigned end, Visitor visitor) {
    const Cell *last = nullptr;
    unsigned start = begin, stop = begin;
    while (stop < end) {
      const unsigned first = stop & ~(Block::kBytes - 1);
      page.blocks[stop >> Block::kShift].visit(stop - first, std::min(end - first, Block::kBytes),
                                               [&](unsigned at, unsigned to, const Cell &cell) {
                                                 if (last && *last != cell) {
                                                   visitor(start, first + at, *last);
                                                   start = first + at;
                                                 }
                                                 last = &cell;
                                                 stop = first + to;
                                               });
    }
    if (last)
      visitor(start, stop, *last);
  }

  template <typename A, typename B, typename Change>
  void settleBlock(std::uint64_t base, const ShadowBlock<A> &a, const ShadowBlock<B> &b, Block &block,
                   Change &change) {
    if (a.isWhole() && b.isWhole()) {
      if (a.whole() == A{} && b.whole() == B{})
        return;
      if (block.isWhole())
        return change(Range{base, base + Block::kBytes}, a.whole(), b.whole(), block.whole());
    }
    typename Block::Runs made;
    typename ShadowBlock<A>::Cursor ofA(a);
    typename ShadowBlock<B>::Cursor ofB(b);
    typename Block::Cursor own(block);
    for (unsigned at = 0; at < Block::kBytes;) {
      const unsigned to = std::min({ofA.end(), ofB.end(), own.end()});
      Cell cell = own.cell();
      if (ofA.cell() != A{} || ofB.cell() != B{})
        change(Range{base + at, base + to}, ofA.cell(), ofB.cell(), cell);
      made.put(at, cell);
      at = to;
      if (at == Block::kBytes)
        break;
      if (ofA.end() == at)
        ofA.next();
      if (ofB.end() == at)
        ofB.next();
      if (own.end() == at)
        own.next();
    }
    outside_ -= block.outside();
    block.assign(made);
    outside_ += block.outside();
  }

  Page *find(std::uint64_t number, Missing missing) {
    Recent &recent = recent_[(number * 0x9e3779b97f4a7c15u) >> 32 & (kRecent - 1)];
    if (number == recent.number && (recent.page || missing == Missing::Skip))
      return recent.page;
    recent.number = number;
    if (missing == Missing::Make) {
      std::unique_ptr<Page> &page = pages_[number];
      if (!page)
        page = std::make_unique<Page>();
      return recent.page = page.get();
    }
    const auto found = pages_.find(number);
    return recent.page = found == pages_.end() ? nullptr : found->second.get();
  }

  /// Calls `body(address of the page, page, begin, end)`, with offsets in the page.
  template <typename Body> void forEachPage(const Range &range, Missing missing, Body body) {
    for (std::uint64_t at = range.begin; at < range.end;) {
      const std::uint64_t number = at >> kPageShift;
      const std::uint64_t base = number << kPageShift;
      // Written so that the last page of the address space is no special case.
      const auto begin = static_cast<unsigned>(at - base);
      const auto end = static_cast<unsigned>(std::min<std::uint64_t>(range.end - base, kPageBytes));
      if (Page *page = find(number, missing))
        body(base, *page, begin, end);
      at += end - begin;
      if (at == 0)
        break;
    }
  }

  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  std::uint64_t outside_ = 0; ///< cells
  std::array<Recent, kRecent> recent_;
};

} // namespace cupr::analysis

#endif
