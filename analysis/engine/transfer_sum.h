/// Transfers between CTAs, added up by their ends: any number of them.
///
/// Where CTAs exchange everything with everybody, nearly every access makes a few transfers that no other access has a part in, and
/// sorting them and bringing them to disk and back takes longer than finding them. As they are reported, six numbers each, they fill
/// many times what a processor's cache holds. But those of two launches and one kind of dependence have only the CTAs to tell them
/// apart, and their sums are small: so these are kept together, in tables of a third of the bytes, and each table is sorted for itself, by the few
/// bits in which its CTAs differ. What doesn't fit in memory goes to disk, table by table.
#ifndef CUPR_ANALYSIS_TRANSFER_SUM_H
#define CUPR_ANALYSIS_TRANSFER_SUM_H

#include "analysis/model/unnamed_file.h"
#include "cell_pool.h"
#include "transfer.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace cupr::analysis {

/// Not for several threads at once.
class TransferSum {
public:
  using Summed = Transfer;

  /// Keeps up to `memory` bytes.
  explicit TransferSum(std::uint64_t memory);

  void add(const Transfer &transfer);
  /// What `other` has been given, which forgets it.
  void take(TransferSum &other);

  /// Calls `visitor(const Transfer &)` for every key with its sum, in the order of Transfer::before. May be called again.
  template <typename Visitor> void forEach(Visitor visitor) {
    forEachWhile([&](const Transfer &transfer) {
      visitor(transfer);
      return true;
    });
  }
  /// The same, as long as the visitor returns true.
  void forEachWhile(const std::function<bool(const Transfer &)> &visitor);

  /// Files on disk.
  std::size_t runs() const { return runs_.size(); }

private:
  static constexpr std::size_t kBlockParts = 64;
  /// Of a dependence between two launches: its number, the destination, and the source.
  using Kind = std::array<std::uint32_t, 3>;
  /// One of a kind. Larger sums are in several.
  struct Part {
    std::uint64_t ctas = 0; ///< Transfer::ctas
    std::uint32_t bytes = 0, operations = 0;

    /// Adds one with the same CTAs. False: it isn't, or the sum is too large.
    bool join(const Part &other) {
      if (ctas != other.ctas || bytes > UINT32_MAX - other.bytes ||
          operations > UINT32_MAX - other.operations)
        return false;
      bytes += other.bytes;
      operations += other.operations;
      return true;
    }
  };
  /// All of a kind that are in memory.
  struct Table {
    std::vector<Part *> blocks; ///< all but the last are full
    std::size_t count = 0;

    const Part &partAt(std::size_t place) const { return blocks[place / kBlockParts][place % kBlockParts]; }
    template <typename Body> void forEach(Body body) const {
      std::size_t left = count;
      for (std::size_t i = 0; left != 0; ++i) {
        const std::size_t some = std::min(left, kBlockParts);
        std::for_each_n(blocks[i], some, body);
        left -= some;
      }
    }
  };
  struct Section {
    Kind kind;
    std::uint64_t parts;
  };
  struct Run {
    UnnamedFile file;
    std::vector<Section> sections; ///< ascending
  };
  class Cursor;
  struct Sum;

  static Kind kindOf(const Transfer &transfer) {
    return {transfer.dependence.number(), transfer.destination, transfer.source};
  }
  Table &tableOf(const Transfer &transfer);
  void put(Table &table, const Part &part);
  void combine(Table &table);
  void combine();
  void makeRoom();
  static Transfer transferOf(const Kind &kind, const Sum &sum);

  std::size_t mostBlocks_, blocks_ = 0;
  CellPool<Part> pool_;
  std::map<Kind, Table> tables_;
  struct Recent {
    Kind kind;
    Table *table = nullptr;
  };
  std::array<Recent, 16> recent_{}; ///< tables that were asked for last
  std::vector<Part> parts_, spare_; ///< of the table that is combined
  std::vector<Run> runs_;
};

} // namespace cupr::analysis

#endif
