/// The records of a launch on their way into a trace that is made of another file: in chunks, counted, and at last with their totals.
#ifndef CUPR_ANALYSIS_LAUNCH_RECORDS_H
#define CUPR_ANALYSIS_LAUNCH_RECORDS_H

#include "hostlib/trace/message_file.h"
#include "hostlib/trace/record_values.h"
#include "hostlib/trace/recount.h"
#include "hostlib/trace/value_columns.h"

#include <span>
#include <vector>

namespace cupr::analysis {

class LaunchRecords {
public:
  /// `file` has the launch, and outlives this, as do the `sites` of its module and what they have as values.
  LaunchRecords(trace::MessageFile &file, const trace::Launch &launch, std::span<const trace::Site> sites,
                std::span<const trace::ValueSite> valueSites = {})
      : file_(file), launch_(launch), sites_(sites), rules_(launch, sites), valueSites_(valueSites) {}

  /// What records of this site have.
  abi::ValueShape shapeOf(const trace::Site &site) const {
    return launch_.values ? trace::valueShapeOf(site) : abi::ValueShape{};
  }
  /// Of its form counts whether it is a range. `values`: null: it has none. Returns the rule that the record breaks; empty: none.
  std::string add(const abi::WarpAccess &access, const trace::AccessValues *values);
  /// Writes what is left, and the totals: `end`, whose words are filled in. Returns the rule that a record breaks.
  std::string finish(trace::LaunchEnd end);

  const trace::Launch &launch() const { return launch_; }
  /// Once it is finished.
  const trace::RecordTotals &totals() const { return totals_; }

private:
  std::string endChunk();

  trace::MessageFile &file_;
  const trace::Launch launch_;
  const std::span<const trace::Site> sites_;
  const trace::RecordRules rules_;
  const std::span<const trace::ValueSite> valueSites_;
  trace::RecordTotals totals_;
  std::vector<trace::Word> words_, values_; ///< of the chunk
  std::uint32_t records_ = 0;               ///< in words_
};

} // namespace cupr::analysis

#endif
