/// The values of one column of a batch, as Arrow lays them out.
#ifndef CUPR_ANALYSIS_ARROW_COLUMN_H
#define CUPR_ANALYSIS_ARROW_COLUMN_H

#include "analysis/tables/column.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace cupr::analysis {

/// Places of texts in a dictionary, which outlives the columns that use it.
using ArrowDictionary = std::unordered_map<std::string, std::int32_t>;

/// Numbers are uint64, reals float64, flags bool, texts utf8, lists list. With a dictionary, texts are int32 places in it.
class ArrowColumn {
public:
  explicit ArrowColumn(Storage storage, const ArrowDictionary *dictionary = nullptr);

  void add(const Value &value);
  /// Ready for another batch.
  void clear();

  std::uint64_t size() const { return size_; }
  std::uint64_t bytes() const { return offsets_.size() + childOffsets_.size() + data_.size(); }
  /// Nodes and buffers in Arrow's order: of a list, its own and then its elements'.
  struct Node {
    std::uint64_t size, nulls;
  };
  std::vector<Node> nodes() const;
  std::vector<std::string_view> buffers() const;

private:
  bool isList() const { return storage_ == Storage::Numbers || storage_ == Storage::Texts; }
  void put(std::monostate);
  void put(std::uint64_t number);
  void put(double number);
  void put(bool flag);
  void put(std::string_view text);
  void put(std::span<const std::uint64_t> numbers);
  void put(std::span<const std::string> texts);

  const Storage storage_;
  const ArrowDictionary *const dictionary_;
  std::uint64_t size_ = 0, nulls_ = 0, elements_ = 0; ///< elements of lists
  std::string validity_, offsets_, childOffsets_, data_;
};

} // namespace cupr::analysis

#endif
