/// Rows of all results, for exports that are tables.
#ifndef CUPR_ANALYSIS_RESULT_ROWS_H
#define CUPR_ANALYSIS_RESULT_ROWS_H

#include "analysis/metrics/address_history.h"
#include "analysis/metrics/results.h"
#include "analysis/metrics/thread_strides.h"
#include "result_kinds.h"

#include <functional>

namespace cupr::analysis {

/// What is exported; all of it outlives the export.
struct ResultSource {
  const Model &model;
  const Results &results;
  SortedSum<HistoryEntry> *history = nullptr;       ///< null: it was not asked for
  SortedSum<ThreadStride> *threadStrides = nullptr; ///< likewise
  bool parts = false;                               ///< of the graph of CTAs, too
};

/// The values are valid during the call.
using RowVisitor = std::function<void(ResultKindId, const Values &)>;

/// Table by table, in the order of ResultKindId. Nothing is kept: there may be millions of rows.
void forEachResultRow(const ResultSource &source, const RowVisitor &visit);

} // namespace cupr::analysis

#endif
