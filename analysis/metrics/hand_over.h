/// Whether blocks of one launch hand each other data in an order that they have made.
///
/// Blocks run in any order, so that what one reads of another's is right only if the writer says that it is there, and the reader
/// looks. PTX's memory model says how: the writer's accesses, a fence for the device, then an access that others may count on (atomic,
/// volatile, or with an order) to some place; the reader's access to that place, a fence, then its accesses. An access with an
/// order of its own (`st.release`, `ld.acquire`) has its fence in it. Within a block, barriers hand on what one thread knows.
///
/// A trace has all of these in the order of each warp, if it was recorded with synchronisation. What it does not say is which of several
/// accesses to the place came first, so this looks for the pattern: each block that makes the one access releases
/// it behind, through a place that readers look at, and each block that makes the other has looked in front.
///
/// Not seen are barriers of a part of the block, mbarriers, and accesses that a thread makes again behind its last release.
#ifndef CUPR_ANALYSIS_HAND_OVER_H
#define CUPR_ANALYSIS_HAND_OVER_H

#include "analysis/engine/communication.h"
#include "analysis/model/model.h"

#include <cstdint>
#include <map>
#include <span>

namespace cupr::analysis {

/// Unacquired: one access is released, and the other one's thread has looked, but with no fence behind that.
enum class HandOver : std::uint8_t { None, Unacquired, Whole };

/// Of those of `asked` that are inside launches, in either direction; what is not handed over is left out. Memory: each warp of one launch at a time, where
/// there is anything that could hand over. Throws BadTrace, trace::TooMuch.
std::map<Dependence, HandOver> handOvers(const Model &model, const Communication &communication,
                                         std::span<const Dependence> asked);

} // namespace cupr::analysis

#endif
