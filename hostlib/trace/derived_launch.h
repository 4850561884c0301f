/// What concerns launches whose accesses are derived (Launch::isDerived): the rules that they must keep, and how many
/// blocks they record.
#ifndef CUPR_TRACE_DERIVED_LAUNCH_H
#define CUPR_TRACE_DERIVED_LAUNCH_H

#include "events.h"
#include "module.h"

#include <string>

namespace cupr::trace {

/// The most threads that a block of such a launch may have.
inline constexpr std::uint32_t kMaxDerivedThreads = 1024;

/// The rule of trace.capnp that the launch breaks; empty: none. `module`: that it names, null if no such one is before it.
std::string brokenDerivationRule(const Launch &launch, const Module *module);

/// How many blocks a grid has; at most UINT64_MAX.
std::uint64_t blocksOf(const Dim3 &grid);

/// How many blocks of the launch are recorded.
std::uint64_t selectedBlocks(const Launch &launch);

} // namespace cupr::trace

#endif
