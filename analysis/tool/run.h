/// The command line of cupranalyze.
#ifndef CUPR_ANALYSIS_RUN_H
#define CUPR_ANALYSIS_RUN_H

#include "verb.h"

namespace cupr::analysis {

/// Picks the verb and runs it; errors become messages and the exit code. With `peers`, the first process
/// speaks for all, and what only one process found is thrown, since the others don't know of it.
int run(int argc, char **argv, Peers *peers);

} // namespace cupr::analysis

#endif
