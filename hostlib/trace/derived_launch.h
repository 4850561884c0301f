/// What concerns launches whose accesses are derived (Launch::isDerived): the rules that they must keep, and how many
/// blocks they record.
#ifndef CUPR_TRACE_DERIVED_LAUNCH_H
#define CUPR_TRACE_DERIVED_LAUNCH_H

#include "events.h"
#include "module.h"

#include <span>
#include <string>

namespace cupr::trace {

/// The most threads that a block of such a launch may have.
inline constexpr std::uint32_t kMaxDerivedThreads = 1024;

/// The rule of trace.capnp that the launch breaks; empty: none. `modules`: those before it.
std::string brokenDerivationRule(const Launch &launch, std::span<const Module> modules);

/// How many blocks a grid has; at most UINT64_MAX.
std::uint64_t blocksOf(const Dim3 &grid);

/// How many blocks of the launch are recorded.
std::uint64_t selectedBlocks(const Launch &launch);

} // namespace cupr::trace

#endif
