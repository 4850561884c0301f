/// How large a trace would be, from a run that only counted its records.
///
/// What a record costs in the file depends on how well the encoder predicts it. Its form says most of that:
/// addresses that are affine in the lane mostly follow from the record before; the offsets of a gather are as
/// random as the program's data. The costs per form are measured, on the programs of test/bench and test/e2e,
/// and so is their spread: the estimate is a range.
#ifndef CUPR_LAUNCHER_ESTIMATE_H
#define CUPR_LAUNCHER_ESTIMATE_H

#include <cstdint>
#include <string>
#include <vector>

namespace cupr::launcher {

/// What a process counted.
struct Counted {
  std::string program;
  std::uint64_t pid = 0, launches = 0, traced = 0;
  std::uint64_t records = 0, accesses = 0, accessBytes = 0;
  struct Form {
    std::uint64_t records = 0, accesses = 0;
  };
  Form affine, rows, offset32, raw, range;
};

/// Reads the lines that the processes of a run have written to CUPR_SUMMARY. Throws std::exception for what
/// is no such line.
std::vector<Counted> readCounted(const std::vector<std::string> &lines);

/// Bytes of a trace.
struct Estimate {
  double low = 0, likely = 0, high = 0;
};
Estimate estimate(const Counted &counted);

/// Lines without a prefix.
std::vector<std::string> estimateLines(const Counted &counted);
std::string estimateJson(const std::vector<Counted> &processes);

} // namespace cupr::launcher

#endif
