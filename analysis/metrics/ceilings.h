/// What a GPU can do at most, as examples/ceilings has measured it: the roof of a roofline.
#ifndef CUPR_ANALYSIS_CEILINGS_H
#define CUPR_ANALYSIS_CEILINGS_H

#include <cstdint>
#include <map>
#include <string>

namespace cupr::analysis {

struct Ceilings {
  std::string device;
  unsigned multiprocessors = 0;
  double clock = 0;                         ///< Hz
  std::map<std::string, double> bandwidth;  ///< bytes/s, by level: "dram", "l2", "l1", "shared"
  std::map<std::string, double> throughput; ///< operations/s, by precision (ClassWork)
};

/// Of the file that the program printed. Throws std::runtime_error where it is something else.
Ceilings readCeilings(const std::string &path);

} // namespace cupr::analysis

#endif
