/// One trace among several, in a line: how much it moved and communicated, and where it wastes most.
///
/// The ranks of a program do much the same, so what is asked of all of them is which one differs. All figures are sums over the launches
/// that are shown, so they can be added up and compared.
#ifndef CUPR_ANALYSIS_TRACE_SUMMARY_H
#define CUPR_ANALYSIS_TRACE_SUMMARY_H

#include "results.h"

#include <cstdint>
#include <optional>
#include <string>

namespace cupr::analysis {

struct TraceSummary {
  std::string path;
  std::optional<std::uint64_t> rank; ///< of an MPI program, as the file's name says it; none: it says nothing
  std::string program, device;
  std::uint64_t launches = 0, incompleteLaunches = 0;
  bool isTruncated = false;
  trace::Counts counts;                    ///< of global memory
  std::optional<std::uint64_t> deviceTime; ///< ns; none: of no launch is it known
  RequestFigures made;
  double excessSeconds = 0; ///< that the excess sectors take at the bandwidth of the device's memory
  LaunchVolume volume;
  // The kernel whose accesses have most excess sectors, and of these accesses the one with most; empty, 0: there are none.
  std::string kernel;
  RequestFigures ofKernel;
  AccessKey access;
  RequestFigures ofAccess;
  std::optional<std::uint64_t>
      faults; ///< that the check found; none: nobody asked, which summaryOf doesn't know
};

TraceSummary summaryOf(const Model &model, const Results &results);

/// "app.rank3.cuprtrace": 3, as cupr-run and the runtime name traces.
std::optional<std::uint64_t> rankOf(const std::string &path);

} // namespace cupr::analysis

#endif
