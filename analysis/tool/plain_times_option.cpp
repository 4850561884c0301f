#include "plain_times_option.h"

#include <cstdio>

namespace cupr::analysis {

void addPlainTimes(CLI::App &command, std::string &path) {
  command
      .add_option("--times", path,
                  "Trace of the same program whose launches are not traced, but timed: how long kernels take")
      ->option_text("TRACE");
}

PlainTimes readPlainTimes(const std::string &path) {
  const Model timed(path);
  if (timed.header().process.deviceKind == "cpu")
    std::fprintf(stderr, "cupranalyze: warning: %s has times of the CPU device, not of a GPU\n",
                 path.c_str());
  return PlainTimes(timed);
}

void warnOfNoTimes(const std::string &path) {
  std::fprintf(
      stderr,
      "cupranalyze: warning: %s has no time of these kernels: run the program with CUPR_START=off and "
      "CUPR_UNTRACED=time\n",
      path.c_str());
}

} // namespace cupr::analysis
