/// What `dump --host` prints: the calls of the CUDA API by the program's threads, and where these were.
#ifndef CUPR_ANALYSIS_HOST_DUMP_H
#define CUPR_ANALYSIS_HOST_DUMP_H

#include "analysis/model/model.h"

#include <cstdint>

namespace cupr::analysis {

/// The calls of the program's threads, and then their samples. JSON has the members of exports' rows. At most `limit` lines.
void dumpHost(const Model &model, bool asJson, std::uint64_t limit);

} // namespace cupr::analysis

#endif
