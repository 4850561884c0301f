/// Rows of everything but records: what a trace says of the process, its code, its launches and the host's acts.
#ifndef CUPR_ANALYSIS_MODEL_ROWS_H
#define CUPR_ANALYSIS_MODEL_ROWS_H

#include "row_kinds.h"
#include "row_references.h"

#include <deque>
#include <string>
#include <vector>

namespace cupr::analysis {

/// Rows of a kind are numbered from 0, in the order of the model; those of counts by launch and, in it, by memory space.
class ModelRows {
public:
  /// `references`, of the model, must outlive this.
  explicit ModelRows(RowReferences &references) : references_(references), model_(references.model()) {}

  /// 0 for records, accesses and ends, which are not of the model.
  std::size_t size(RowKindId kind);
  /// Valid until the next call. Null: what would stand there is left out, as counts of memory that was not accessed are.
  const Values *row(RowKindId kind, std::size_t index);

private:
  void header();
  void frame(std::size_t id);
  void site(std::size_t id);
  void launch(const LaunchInfo &info);
  void launchEnd(const LaunchInfo &info);
  bool count(const LaunchInfo &info, abi::MemorySpace space);
  void allocation(const AllocationInfo &info);
  void imageObject(const ImageObjectInfo &info);
  void copy(const trace::Copy &in);
  void set(const trace::Set &in);
  void synchronisation(const trace::Synchronisation &in);
  void hostCall(std::size_t index);
  void hostSample(std::size_t index);
  void hostFrame(std::size_t index);
  void loop(std::size_t index);
  void madeBy(std::uint64_t order);
  void path(std::uint32_t node);

  void add(const auto &cell);
  void addAll(const auto &...cells) { (add(cells), ...); }
  /// A text that lives as long as the row.
  std::string_view kept(std::string text) { return texts_.emplace_back(std::move(text)); }

  RowReferences &references_;
  const Model &model_;
  Values values_;
  std::deque<std::string> texts_; ///< of the row
  trace::Launch launch_;          ///< likewise
};

} // namespace cupr::analysis

#endif
