/// Visits every state that a machine can come to, depth first.
///
/// A state that was there before is not entered again; states are told apart by a 64-bit hash of all
/// their bytes, so that among ten million there is one chance in 10^5 that one is overlooked.
///
/// Beside what the machine itself finds wrong: a state without moves must be the end, and from each state the
/// end must be within reach. The latter is what fair scheduling needs: no warp or host waits for ever.
#ifndef CUPR_MODEL_EXPLORER_H
#define CUPR_MODEL_EXPLORER_H

#include "queue_machine.h"

#include <cstddef>
#include <string>
#include <vector>

namespace cupr::model {

struct Exploration {
  std::size_t states = 0, steps = 0, ends = 0;
  /// What memory and the host can look like: how many ways, and a sum that tells two such sets apart.
  std::size_t sharedStates = 0;
  u64 sharedSum = 0;
  bool isComplete = false;      ///< every state was visited: neither an error nor the bound came before
  std::string error;            ///< the first one; empty: none
  std::vector<std::string> way; ///< from the beginning to the error, a line per step
};

/// `bound`: states after which it gives up.
Exploration explore(const Configuration &configuration, Mutant mutant, std::size_t bound);

} // namespace cupr::model

#endif
