/// A value for every byte of memory, kept by ranges: pages of 4 KiB, and blocks in them (shadow_block.h). A
/// page is a value and those blocks that differ from it: none where copies and sets of the host leave all bytes
/// the same, one where a scattered access is all that touched it.
///
/// Long, since each way to go through pages (look, change, apply) knows all forms that a page can have.
#ifndef CUPR_ANALYSIS_SHADOW_H
#define CUPR_ANALYSIS_SHADOW_H

#include "analysis/model/unnamed_file.h"
#include "memory_page.h"
#include "ranges.h"
#include "shadow_block.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace cupr::analysis {

/// `Cell` is a plain value whose default stands for bytes that nothing was said of.
template <typename Cell> class Shadow {
public:
  /// Calls `visitor(Range, const Cell &)` for runs of equal bytes in `range` that something was said of, in
  /// ascending order. A run may be given in parts. Visitors must not change the shadow.
  template <typename Visitor> void visit(const Range &range, Visitor visitor) const {
    if (const Cell *word = wordAt(range)) {
      if (*word != Cell{})
        visitor(range, *word);
      return;
    }
    forEachPage(range, [&](std::uint64_t number, unsigned begin, unsigned end) {
      const Entry *entry = find(number);
      if (!entry)
        return;
      const std::uint64_t base = number << kPageShift;
      if (entry->present != 0)
        forEachRun(*entry, begin, end, [&](unsigned from, unsigned to, const Cell &cell) {
          if (cell != Cell{})
            visitor(Range{base + from, base + to}, cell);
        });
      else if (entry->whole != Cell{})
        visitor(Range{base + begin, base + end}, entry->whole);
    });
  }

  /// The same for a range of any size: takes time for what is known in it, not for its pages. Slower for small
  /// ones.
  template <typename Visitor> void visitKnown(const Range &range, Visitor visitor) const {
    if (range.bytes() >> kPageShift <= entries_.size())
      return visit(range, visitor);
    std::vector<std::uint64_t> numbers;
    for (const Entry &entry : entries_)
      if (entry.number != kFree && entry.number >= range.begin >> kPageShift &&
          entry.number <= (range.end - 1) >> kPageShift)
        numbers.push_back(entry.number);
    std::sort(numbers.begin(), numbers.end());
    for (const std::uint64_t number : numbers) {
      const std::uint64_t base = number << kPageShift;
      visit({std::max(range.begin, base), std::min(range.end - 1, base + (kPageBytes - 1)) + 1}, visitor);
    }
  }

  /// Calls `change(Range, Cell &)` for runs of equal bytes in `range` for which `wants(const Cell &)`, and
  /// `keep(Range, const Cell &)` for the others. With Missing::Skip bytes in pages that nothing was said of
  /// are left out.
  enum class Missing { Skip, Make };
  template <typename Wants, typename Change, typename Keep>
  void change(const Range &range, Missing missing, Wants wants, Change change, Keep keep) {
    if (Cell *word = const_cast<Cell *>(wordAt(range))) {
      if (wants(std::as_const(*word)))
        change(range, *word);
      else
        keep(range, std::as_const(*word));
      return;
    }
    forEachPage(range, [&](std::uint64_t number, unsigned begin, unsigned end) {
      Entry *entry = missing == Missing::Make ? &make(number) : find(number);
      if (entry)
        changePage(number << kPageShift, *entry, begin, end, wants, change, keep);
    });
  }
  template <typename Wants, typename Change>
  void change(const Range &range, Missing missing, Wants wants, Change change) {
    this->change(range, missing, wants, change, [](const Range &, const Cell &) {});
  }

  /// Asks for the memory that a look at `address` will need: the block, and, when it has come, what it holds.
  void prefetchBlock(std::uint64_t address) const {
    if (const Block *block = blockAt(address, asked_))
      __builtin_prefetch(block);
  }
  void prefetchCell(std::uint64_t address) const {
    if (const Block *block = blockAt(address, asked_))
      block->prefetch(static_cast<unsigned>(address % Block::kBytes));
  }

  /// Sets the bytes of `range` that something was said of.
  void set(const Range &range, const Cell &cell, Missing missing) {
    change(
        range, missing, [&](const Cell &before) { return before != cell; },
        [&](const Range &, Cell &to) { to = cell; });
  }

  /// Forgets `range`, as when memory is freed.
  void clear(const Range &range) {
    // Big ranges: go through what is there instead of what could be.
    if (range.bytes() >> kPageShift <= entries_.size())
      return set(range, Cell{}, Missing::Skip);
    for (const Entry &entry : entries_)
      if (entry.number != kFree) {
        const std::uint64_t base = entry.number << kPageShift;
        const Range part{std::max(range.begin, base), std::min(range.end - 1, base + (kPageBytes - 1)) + 1};
        if (part.begin < part.end)
          set(part, Cell{}, Missing::Skip);
      }
  }

  /// Keeps the memory for what comes.
  void clear() {
    std::fill(entries_.begin(), entries_.end(), Entry());
    // What comes may be much less.
    if (8 * count_ < entries_.size())
      entries_ = std::vector<Entry>();
    count_ = 0;
    pool_.clear();
    blockPool_.clear();
    forgetRecent();
  }

  /// Calls `change(Range, const Cell &, const B &, C &, D &)` for runs, equal in all four, of the bytes that
  /// something was said of here or in `b`.
  template <typename B, typename C, typename D, typename Change>
  void applyWith(const Shadow<B> &b, Shadow<C> &c, Shadow<D> &d, Change change) const {
    static const Entry none;
    static const typename Shadow<B>::Entry noneOfB;
    for (const Entry &entry : entries_)
      if (entry.number != kFree) {
        const auto *other = b.find(entry.number);
        applyToPage<B>(entry.number, entry, other ? *other : noneOfB, c, d, change);
      }
    for (const auto &entry : b.entries_)
      if (entry.number != kFree && !find(entry.number))
        applyToPage<B>(entry.number, none, entry, c, d, change);
  }

  /// Writes all to a file and forgets it; takes it back.
  void save(std::FILE *file) {
    for (const Entry &entry : entries_)
      if (entry.number != kFree) {
        writeAll(file, &entry.number, sizeof entry.number);
        writeAll(file, &entry.present, sizeof entry.present);
        writeAll(file, &entry.whole, sizeof entry.whole);
        for (unsigned i = 0; i < entry.count(); ++i)
          entry.blocks[i].save(file);
      }
    writeAll(file, &kFree, sizeof kFree);
    *this = {};
  }
  void load(std::FILE *file) {
    std::uint64_t number = 0;
    for (readAll(file, &number, sizeof number); number != kFree; readAll(file, &number, sizeof number)) {
      Entry &entry = make(number);
      readAll(file, &entry.present, sizeof entry.present);
      readAll(file, &entry.whole, sizeof entry.whole);
      if (entry.present != 0)
        entry.blocks = roomFor(entry.count());
      for (unsigned i = 0; i < entry.count(); ++i)
        std::construct_at(&entry.blocks[i])->load(file, pool_);
    }
  }

  /// How many pages something may be said of; of those, in `range`, at most.
  std::uint64_t pages() const { return count_; }
  std::uint64_t pagesIn(const Range &range) const {
    return std::min<std::uint64_t>(entries_.size(), (range.bytes() >> kPageShift) + 1);
  }

  /// Memory in use, or kept.
  std::uint64_t bytes() const { return entries_.size() * sizeof(Entry) + blockPool_.bytes() + pool_.bytes(); }

private:
  template <typename Other> friend class Shadow;
  using Block = ShadowBlock<Cell>;
  static constexpr unsigned kBlocks = kPageBytes / Block::kBytes;
  static constexpr std::uint64_t kFree = UINT64_MAX;
  struct Entry {
    std::uint64_t number = kFree;
    Block *blocks = nullptr;   ///< those that are present, ascending, in room for the next power of two
    std::uint32_t present = 0; ///< bit n: block n is; all bytes of the others are `whole`
    Cell whole{};

    bool has(unsigned block) const { return present >> block & 1; }
    unsigned count() const { return static_cast<unsigned>(std::popcount(present)); }
    /// Where the block is, or would be.
    unsigned placeOf(unsigned block) const {
      return present == UINT32_MAX
                 ? block
                 : static_cast<unsigned>(std::popcount(present & ((std::uint32_t{1} << block) - 1)));
    }
  };
  static_assert(kBlocks == 32);
  /// Blocks lie in it as bytes: they are moved with their entry's others.
  struct BlockBytes {
    alignas(Block) std::byte bytes[sizeof(Block)];
  };

  /// The blocks of a page, also those that are not present.
  class View {
  public:
    explicit View(const Entry &entry) : entry_(entry), whole_(entry.whole) {}
    const Block &operator[](unsigned block) const {
      return entry_.has(block) ? entry_.blocks[entry_.placeOf(block)] : whole_;
    }

  private:
    const Entry &entry_;
    const Block whole_;
  };

  /// Changes blocks of a page, and makes them only if they are to differ.
  class Editor {
  public:
    Editor(Shadow &shadow, std::uint64_t number)
        : shadow_(shadow), entry_(shadow.make(number)), view_(entry_) {}
    ~Editor() { shadow_.join(entry_); }
    Editor(const Editor &) = delete;
    Editor &operator=(const Editor &) = delete;

    bool isWhole() const { return entry_.present == 0; }
    Cell &whole() { return entry_.whole; }
    const Block &operator[](unsigned block) const { return view_[block]; }
    void assign(unsigned first, unsigned end, const Cell &cell) {
      for (unsigned block = first; block < end; ++block)
        if (!view_[block].isWholly(cell))
          shadow_.makeBlock(entry_, block).assign(cell, shadow_.pool_);
    }
    void assign(unsigned block, const typename Block::Runs &runs) {
      shadow_.makeBlock(entry_, block).assign(runs, shadow_.pool_);
    }

  private:
    Shadow &shadow_;
    Entry &entry_;
    const View view_;
  };

  template <typename B, typename C, typename D, typename Change>
  static void applyToPage(std::uint64_t number, const Entry &entryOfA,
                          const typename Shadow<B>::Entry &entryOfB, Shadow<C> &shadowOfC,
                          Shadow<D> &shadowOfD, Change &change) {
    const std::uint64_t base = number << kPageShift;
    typename Shadow<C>::Editor c(shadowOfC, number);
    typename Shadow<D>::Editor d(shadowOfD, number);
    if (entryOfA.present == 0 && entryOfB.present == 0 && c.isWhole() && d.isWhole()) {
      if (entryOfA.whole != Cell{} || entryOfB.whole != B{})
        change(Range{base, base + kPageBytes}, entryOfA.whole, entryOfB.whole, c.whole(), d.whole());
      return;
    }
    const View a(entryOfA);
    const typename Shadow<B>::View b(entryOfB);
    // Most pages of scattered accesses have a block or two.
    const bool areSparse = entryOfA.whole == Cell{} && entryOfB.whole == B{};
    const std::uint32_t known = areSparse ? entryOfA.present | entryOfB.present : UINT32_MAX;
    for (unsigned block = 0, end; block < kBlocks && known >> block != 0; block = end) {
      block += static_cast<unsigned>(std::countr_zero(known >> block));
      end = block + 1;
      if (a[block].isWholly({}) && b[block].isWholly({}))
        continue;
      if (!a[block].isWhole() || !b[block].isWhole() || !c[block].isWhole() || !d[block].isWhole()) {
        applyToBlock<B>(base + block * Block::kBytes, block, a[block], b[block], c, d, change);
        continue;
      }
      C cellOfC = c[block].whole();
      D cellOfD = d[block].whole();
      while (end < kBlocks && a[end].isWholly(a[block].whole()) && b[end].isWholly(b[block].whole()) &&
             c[end].isWholly(cellOfC) && d[end].isWholly(cellOfD))
        ++end;
      change(Range{base + block * Block::kBytes, base + end * Block::kBytes}, a[block].whole(),
             b[block].whole(), cellOfC, cellOfD);
      c.assign(block, end, cellOfC);
      d.assign(block, end, cellOfD);
    }
  }

  template <typename B, typename EditorOfC, typename EditorOfD, typename Change>
  static void applyToBlock(std::uint64_t base, unsigned block, const Block &a, const ShadowBlock<B> &b,
                           EditorOfC &c, EditorOfD &d, Change &change) {
    using BlockOfC = std::remove_cvref_t<decltype(c[0])>;
    using BlockOfD = std::remove_cvref_t<decltype(d[0])>;
    typename BlockOfC::Runs madeOfC;
    typename BlockOfD::Runs madeOfD;
    typename Block::Cursor ofA(a);
    typename ShadowBlock<B>::Cursor ofB(b);
    typename BlockOfC::Cursor ofC(c[block]);
    typename BlockOfD::Cursor ofD(d[block]);
    bool changesC = false, changesD = false;
    for (unsigned at = 0; at < Block::kBytes;) {
      const unsigned to = std::min({ofA.end(), ofB.end(), ofC.end(), ofD.end()});
      auto cellOfC = ofC.cell();
      auto cellOfD = ofD.cell();
      if (ofA.cell() != Cell{} || ofB.cell() != B{})
        change(Range{base + at, base + to}, ofA.cell(), ofB.cell(), cellOfC, cellOfD);
      changesC = changesC || cellOfC != ofC.cell();
      changesD = changesD || cellOfD != ofD.cell();
      madeOfC.put(at, cellOfC);
      madeOfD.put(at, cellOfD);
      at = to;
      if (at == Block::kBytes)
        break;
      if (ofA.end() == at)
        ofA.next();
      if (ofB.end() == at)
        ofB.next();
      if (ofC.end() == at)
        ofC.next();
      if (ofD.end() == at)
        ofD.next();
    }
    if (changesC)
      c.assign(block, madeOfC);
    if (changesD)
      d.assign(block, madeOfD);
  }

  template <typename Wants, typename Change, typename Keep>
  void changePage(std::uint64_t base, Entry &entry, unsigned begin, unsigned end, Wants &wants,
                  Change &change, Keep &keep) {
    assert(begin < end && end <= kPageBytes);
    const bool all = end - begin == kPageBytes;
    if (entry.present == 0) {
      if (!wants(std::as_const(entry.whole)))
        return keep(Range{base + begin, base + end}, std::as_const(entry.whole));
      if (all)
        return change(Range{base, base + kPageBytes}, entry.whole);
    }
    for (unsigned from = begin; from < end;) {
      const unsigned first = from & ~(Block::kBytes - 1), to = std::min(end, first + Block::kBytes);
      const std::uint64_t start = base + first;
      const auto keepPart = [&](unsigned at, unsigned stop, const Cell &cell) {
        keep(Range{start + at, start + stop}, cell);
      };
      const unsigned block = from >> Block::kShift;
      if (!entry.has(block) && !wants(std::as_const(entry.whole)))
        keepPart(from - first, to - first, std::as_const(entry.whole));
      else
        makeBlock(entry, block)
            .change(
                from - first, to - first, pool_, wants,
                [&](unsigned at, unsigned stop, Cell &cell) {
                  change(Range{start + at, start + stop}, cell);
                },
                keepPart);
      from = to;
    }
    if (all)
      join(entry);
  }

  /// Calls `visitor(begin, end, const Cell &)` for runs, also across blocks.
  template <typename Visitor>
  static void forEachRun(const Entry &entry, unsigned begin, unsigned end, Visitor visitor) {
    const View blocks(entry);
    if (const unsigned block = begin >> Block::kShift; (end - 1) >> Block::kShift == block) {
      const unsigned first = block << Block::kShift;
      return blocks[block].visit(begin - first, end - first, [&](unsigned at, unsigned to, const Cell &cell) {
        visitor(first + at, first + to, cell);
      });
    }
    const Cell *last = nullptr;
    unsigned start = begin, stop = begin;
    while (stop < end) {
      const unsigned first = stop & ~(Block::kBytes - 1);
      blocks[stop >> Block::kShift].visit(stop - first, std::min(end - first, Block::kBytes),
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

  /// Calls `body(number of the page, begin, end)`, with offsets in the page.
  template <typename Body> static void forEachPage(const Range &range, Body body) {
    for (std::uint64_t at = range.begin; at < range.end;) {
      const std::uint64_t number = at >> kPageShift, base = number << kPageShift;
      // Written so that the last page of the address space is no special case.
      const auto begin = static_cast<unsigned>(at - base);
      const auto end = static_cast<unsigned>(std::min<std::uint64_t>(range.end - base, kPageBytes));
      body(number, begin, end);
      at += end - begin;
      if (at == 0)
        break;
    }
  }

  /// The value of a word in a block that is kept word by word: what most scattered accesses ask for. Null: it
  /// is something else.
  const Cell *wordAt(const Range &range) const {
    if (range.bytes() != Block::kWordBytes || range.begin % Block::kWordBytes != 0)
      return nullptr;
    const Block *block = blockAt(range.begin, looked_);
    return block ? block->wordAt(static_cast<unsigned>(range.begin % Block::kBytes)) : nullptr;
  }
  /// A block that was there when it was looked for last, until any is moved or taken away: mostly the next to look for.
  struct RecentBlock {
    std::uint64_t number = UINT64_MAX; ///< of its first byte, by blocks
    const Block *block = nullptr;
  };
  void forgetRecent() { looked_ = asked_ = {}; }
  /// Null: it is not there.
  const Block *blockAt(std::uint64_t address, RecentBlock &recent) const {
    if (recent.number == address >> Block::kShift)
      return recent.block;
    const Entry *entry = find(address >> kPageShift);
    const auto block = static_cast<unsigned>(address % kPageBytes >> Block::kShift);
    if (!entry || !entry->has(block))
      return nullptr;
    recent = {address >> Block::kShift, entry->blocks + entry->placeOf(block)};
    return recent.block;
  }

  Block *roomFor(unsigned count) { return reinterpret_cast<Block *>(blockPool_.take(std::bit_ceil(count))); }
  void giveBack(Entry &entry) {
    forgetRecent();
    blockPool_.give(reinterpret_cast<BlockBytes *>(entry.blocks), std::bit_ceil(entry.count()));
  }
  /// The block, also if it was not there. Valid until the next one of the page is made.
  Block &makeBlock(Entry &entry, unsigned block) {
    const unsigned place = entry.placeOf(block), count = entry.count();
    if (entry.has(block))
      return entry.blocks[place];
    forgetRecent();
    const auto move = [](Block *to, const Block *from, unsigned blocks) {
      std::memmove(static_cast<void *>(to), from, blocks * sizeof(Block));
    };
    Block *blocks = entry.blocks;
    if (std::has_single_bit(count) || count == 0) {
      blocks = roomFor(count + 1);
      if (count != 0) {
        move(blocks, entry.blocks, place);
        move(blocks + place + 1, entry.blocks + place, count - place);
        giveBack(entry);
      }
      entry.blocks = blocks;
    } else {
      move(blocks + place + 1, blocks + place, count - place);
    }
    entry.present |= std::uint32_t{1} << block;
    return *std::construct_at(blocks + place, entry.whole);
  }
  /// Takes the blocks away, if all bytes are the same.
  void join(Entry &entry) {
    if (entry.present == 0)
      return;
    const Cell whole = entry.present == UINT32_MAX ? entry.blocks[0].whole() : entry.whole;
    if (!std::all_of(entry.blocks, entry.blocks + entry.count(),
                     [&](const Block &block) { return block.isWholly(whole); }))
      return;
    giveBack(entry);
    entry.whole = whole;
    entry.present = 0;
  }

  /// Where the page is, or would be. Mostly that is where the last one was.
  std::size_t placeOf(std::uint64_t number) const {
    if (last_ < entries_.size() && entries_[last_].number == number)
      return last_;
    const std::size_t mask = entries_.size() - 1;
    const std::uint64_t hash = number * 0x9e3779b97f4a7c15u;
    std::size_t place = (hash ^ hash >> 32) & mask;
    while (entries_[place].number != number && entries_[place].number != kFree)
      place = (place + 1) & mask;
    return last_ = place;
  }
  const Entry *find(std::uint64_t number) const {
    if (entries_.empty())
      return nullptr;
    const Entry &entry = entries_[placeOf(number)];
    return entry.number == kFree ? nullptr : &entry;
  }
  Entry *find(std::uint64_t number) { return const_cast<Entry *>(std::as_const(*this).find(number)); }
  /// Valid until the next page is made.
  Entry &make(std::uint64_t number) {
    if (Entry *entry = find(number))
      return *entry;
    if (4 * (count_ + 1) > 3 * entries_.size())
      makeRoom();
    Entry &entry = entries_[placeOf(number)];
    entry.number = number;
    ++count_;
    return entry;
  }
  /// Leaves out pages that nothing is said of any more.
  void makeRoom() {
    const auto isUsed = [](const Entry &entry) {
      return entry.number != kFree && (entry.present != 0 || entry.whole != Cell{});
    };
    count_ = static_cast<std::size_t>(std::count_if(entries_.begin(), entries_.end(), isUsed));
    std::vector<Entry> before(std::max<std::size_t>(16, std::bit_ceil(2 * count_)));
    before.swap(entries_);
    for (const Entry &entry : before)
      if (isUsed(entry))
        entries_[placeOf(entry.number)] = entry;
  }

  std::vector<Entry> entries_; ///< a hash table with open addressing: a power of two, or none
  std::size_t count_ = 0;
  mutable std::size_t last_ = 0; ///< looked up
  mutable RecentBlock looked_, asked_;
  CellPool<BlockBytes> blockPool_;
  typename Block::Pool pool_; ///< of the runs in blocks
};

} // namespace cupr::analysis

#endif
