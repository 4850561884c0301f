/// A table is combined when there is no room: sorted by its CTAs, with one part for each pair of them.
#include "transfer_sum.h"

#include "merged_sums.h"
#include "packed_entries.h"
#include "radix_sort.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <optional>

namespace cupr::analysis {

/// What a key comes to.
struct TransferSum::Sum {
  std::uint64_t ctas = 0, bytes = 0, operations = 0;
  bool before(const Sum &other) const { return ctas < other.ctas; }
  void add(const Sum &other) {
    bytes += other.bytes;
    operations += other.operations;
  }
};

/// Parts of a kind as they are read: of a run, or those in memory.
class TransferSum::Cursor {
public:
  explicit Cursor(const Table &table) : left_(table.count), table_(&table) {}
  Cursor(PackedEntryReader<Part> &reader, std::uint64_t parts) : left_(parts), reader_(&reader) {}
  /// False: there are no more.
  bool next() {
    if (left_ == 0)
      return false;
    const Part part = table_ ? table_->partAt(table_->count - left_) : reader_->next();
    --left_;
    sum_ = {part.ctas, part.bytes, part.operations};
    return true;
  }
  const Sum &entry() const { return sum_; }

private:
  std::uint64_t left_;
  const Table *table_ = nullptr; ///< null: the reader has them
  PackedEntryReader<Part> *reader_ = nullptr;
  Sum sum_;
};

/// A table that is combined is there three times: as it was, in order, and on its way there.
TransferSum::TransferSum(std::uint64_t memory)
    : mostBlocks_(
          std::max<std::size_t>(16, static_cast<std::size_t>(memory / (3 * kBlockParts * sizeof(Part))))) {}

void TransferSum::add(const Transfer &transfer) {
  if (blocks_ >= mostBlocks_)
    makeRoom();
  Table &table = tableOf(transfer);
  std::uint64_t bytes = transfer.bytes, operations = transfer.operations;
  do {
    const Part part{transfer.ctas(), static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, UINT32_MAX)),
                    static_cast<std::uint32_t>(std::min<std::uint64_t>(operations, UINT32_MAX))};
    bytes -= part.bytes;
    operations -= part.operations;
    put(table, part);
  } while ((bytes | operations) != 0);
}

/// Mostly it is one of the few that the present launches have.
TransferSum::Table &TransferSum::tableOf(const Transfer &transfer) {
  const Kind kind = kindOf(transfer);
  Recent &recent = recent_[(kind[0] + 11 * kind[1] + 5 * kind[2]) % recent_.size()];
  if (!recent.table || recent.kind != kind)
    recent = {kind, &tables_[kind]};
  return *recent.table;
}

void TransferSum::put(Table &table, const Part &part) {
  const std::size_t place = table.count++ % kBlockParts;
  if (place == 0) {
    table.blocks.push_back(pool_.take(kBlockParts));
    ++blocks_;
  }
  table.blocks.back()[place] = part;
}

void TransferSum::take(TransferSum &other) {
  std::move(other.runs_.begin(), other.runs_.end(), std::back_inserter(runs_));
  for (const auto &[kind, table] : other.tables_)
    table.forEach([&](const Part &part) { add(transferOf(kind, {part.ctas, part.bytes, part.operations})); });
  other = TransferSum(0);
}

Transfer TransferSum::transferOf(const Kind &kind, const Sum &sum) {
  const auto [dependence, destination, source] = kind;
  return {source,
          destination,
          static_cast<std::uint32_t>(sum.ctas),
          static_cast<std::uint32_t>(sum.ctas >> 32),
          sum.bytes,
          sum.operations,
          DependenceClass::ofNumber(dependence)};
}

void TransferSum::combine(Table &table) {
  const std::uint64_t first = table.blocks.front()->ctas;
  std::uint64_t differing = 0;
  parts_.clear();
  parts_.reserve(table.count);
  table.forEach([&](const Part &part) {
    differing |= part.ctas ^ first;
    parts_.push_back(part);
  });
  // The bits in which any two differ, of the one CTA and of the other, lie side by side.
  const auto width = static_cast<unsigned>(std::bit_width(differing & UINT32_MAX));
  const std::uint64_t low = (std::uint64_t{1} << width) - 1;
  radixSort(parts_, spare_, [&](const Part &part) { return part.ctas >> 32 << width | (part.ctas & low); });
  std::size_t kept = 0;
  for (const Part &part : parts_)
    if (kept == 0 || !parts_[kept - 1].join(part))
      parts_[kept++] = part;
  // Back to where they were; blocks that are left over are given back.
  table.count = kept;
  const Part *from = parts_.data();
  table.forEach([&](Part &part) { part = *from++; });
  for (; table.blocks.size() > (kept + kBlockParts - 1) / kBlockParts; --blocks_) {
    pool_.give(table.blocks.back(), kBlockParts);
    table.blocks.pop_back();
  }
}

void TransferSum::combine() {
  for (auto &[kind, table] : tables_)
    combine(table);
}

void TransferSum::makeRoom() {
  combine();
  if (blocks_ < mostBlocks_ / 2)
    return;
  Run run{unnamedFile(), {}};
  PackedEntryWriter<Part> writer(run.file.get());
  for (const auto &[kind, table] : tables_) {
    run.sections.push_back({kind, table.count});
    table.forEach([&](const Part &part) { writer.add(part); });
  }
  writer.finish();
  runs_.push_back(std::move(run));
  tables_.clear();
  recent_ = {};
  pool_.clear();
  blocks_ = 0;
}

void TransferSum::forEachWhile(const std::function<bool(const Transfer &)> &visitor) {
  combine();
  std::vector<PackedEntryReader<Part>> readers;
  std::vector<std::size_t> places(runs_.size()); // of the next section of each run
  for (const Run &run : runs_) {
    std::rewind(run.file.get());
    readers.emplace_back(run.file.get());
  }
  for (auto table = tables_.begin();;) {
    const Kind *next = table == tables_.end() ? nullptr : &table->first;
    for (std::size_t i = 0; i < runs_.size(); ++i)
      if (places[i] != runs_[i].sections.size())
        if (const Kind &kind = runs_[i].sections[places[i]].kind; !next || kind < *next)
          next = &kind;
    if (!next)
      return;
    const Kind kind = *next;
    std::vector<Cursor> cursors;
    for (std::size_t i = 0; i < runs_.size(); ++i)
      if (places[i] != runs_[i].sections.size() && runs_[i].sections[places[i]].kind == kind)
        cursors.emplace_back(readers[i], runs_[i].sections[places[i]++].parts);
    if (table != tables_.end() && table->first == kind)
      cursors.emplace_back(table++->second);
    const auto visit = [&](const Sum &sum) { return visitor(transferOf(kind, sum)); };
    if (!forEachMerged(cursors, visit))
      return;
  }
}

} // namespace cupr::analysis
