/// All that was done with chosen addresses, in the order of supersteps (Rieber 2017, appendix B).
///
/// An access belongs to the address of its first byte. Threads of one CTA that do the same to the same
/// address in one launch are one entry. Copies and sets by the host are not accesses.
#ifndef CUPR_ANALYSIS_ADDRESS_HISTORY_H
#define CUPR_ANALYSIS_ADDRESS_HISTORY_H

#include "analysis/engine/communicated_accesses.h"
#include "analysis/engine/communication.h"
#include "analysis/engine/ranges.h"
#include "analysis/model/records.h"

#include <memory>
#include <string>
#include <vector>

namespace cupr::analysis {

struct HistoryEntry {
  std::uint64_t address;
  std::uint32_t superstep;
  LaunchIndex launch;
  std::uint32_t cta;
  std::uint32_t site; ///< in the launch's module
  std::uint64_t bytes;
  std::uint64_t accesses; ///< by threads

  bool before(const HistoryEntry &other) const;
  void add(const HistoryEntry &other) { accesses += other.accesses; }
};

/// Accesses that touch one of `ranges`, by address, then superstep. Reads the trace once.
std::unique_ptr<SortedSum<HistoryEntry>> addressHistory(const Model &model, const Ordering &ordering,
                                                        const std::vector<Range> &ranges);
/// Of these, the accesses that take part in communication by a byte of `ranges`: reads of what an earlier
/// launch wrote, in order, and writes of what a later one reads. `accesses`: what the analysis of
/// communication has found for these ranges.
std::unique_ptr<SortedSum<HistoryEntry>> communicatedHistory(const Model &model, const Ordering &ordering,
                                                             const std::vector<Range> &ranges,
                                                             CommunicatedAccesses &accesses);

/// The addresses that `text` names: `all`; `a3`, allocation 3 of `info`; `a3+0x400`, one byte in it;
/// `a3+0x400:64`, 64 bytes. Throws std::runtime_error if it can't be understood, or there is no such
/// allocation.
Range addressesOf(const Model &model, const std::string &text);

} // namespace cupr::analysis

#endif
