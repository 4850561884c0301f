/// Communication through global memory: data that one launch writes and a later one reads.
///
/// Terms
/// - entity: a CTA of a launch, or the host (its copies and sets). Threads of one CTA are
///   one entity.
/// - superstep: a launch, in the order of the host's launch calls. Launches in different
///   streams are taken in that order too.
/// - version: what a byte holds from one write to the next. A byte that several CTAs write
///   in one launch is one version, whose writer is the last record's.
/// - a version communicates when a later launch reads it, also when the CTA has the same
///   index: nothing tells a program that the two meet on one SM. Same and other index are
///   reported apart.
///
/// Within one launch, reads see memory as it was before the launch, and then the writes
/// take effect: CUDA gives no order between the CTAs of a launch, so only what an earlier
/// launch wrote is communicated reliably. Atomics read and write.
/// A host copy reads its source and writes its destination as the host; a set writes.
/// Freed memory is forgotten. What the host or code without instrumentation does with
/// memory by other means is not in a trace.
#ifndef CUPR_ANALYSIS_COMMUNICATION_H
#define CUPR_ANALYSIS_COMMUNICATION_H

#include "analysis/model/model.h"

#include <cstdint>
#include <vector>

namespace cupr::analysis {

/// Place of a launch in Model::launches(), or the host.
using Superstep = std::uint32_t;
inline constexpr Superstep kHost = 0xffffffffu;

/// All volumes are bytes.
struct LaunchVolume {
  std::uint64_t uniqueRead = 0;    ///< distinct bytes that the launch read
  std::uint64_t uniqueWritten = 0; ///< distinct bytes that it wrote
  /// Of uniqueRead: the version was written by an earlier launch, or by the host.
  std::uint64_t readFromLaunches = 0, readFromHost = 0;
  /// Of uniqueWritten: a later launch read the version; the host did.
  std::uint64_t readByLaunches = 0, readByHost = 0;
};

/// What one superstep wrote and another read. Never host to host.
struct LaunchPair {
  Superstep source = kHost, destination = kHost;
  /// Distinct bytes of the source that the destination read. The host's reads are counted
  /// once per copy.
  std::uint64_t bytes = 0;
  /// Of these: read by the CTA with the writer's index; by another one. A byte may be in
  /// both. Only between launches.
  std::uint64_t sameIndex = 0, otherIndex = 0;
  std::uint64_t operations = 0; ///< reads by threads (host: copies) that met such a byte
  std::uint64_t ctaPairs = 0;   ///< distinct (source CTA, destination CTA)
};

/// What one entity wrote and another read. The CTA of the host is 0.
struct Transfer {
  Superstep source = kHost, destination = kHost;
  std::uint32_t sourceCta = 0, destinationCta = 0; ///< linear
  std::uint64_t bytes = 0;                         ///< as in LaunchPair
  std::uint64_t operations = 0;
  friend bool operator==(const Transfer &, const Transfer &) = default;
};

struct Communication {
  std::vector<LaunchVolume> launches; ///< as Model::launches()
  std::vector<LaunchPair> pairs;      ///< by destination, then source; the host comes last
  std::vector<Transfer> transfers;    ///< by destination, source, destination CTA, source CTA

  trace::Counts counts;            ///< all accesses, by threads
  std::uint64_t uniqueRead = 0;    ///< sum over launches
  std::uint64_t uniqueWritten = 0; ///< sum over launches: distinct (byte, launch)
  std::uint64_t writtenByHost = 0; ///< bytes of copies and sets
  /// Of uniqueWritten: versions that a later launch read; of these with the CTA of the
  /// same index, and of another (a version may be in both).
  std::uint64_t communicated = 0, sameIndex = 0, otherIndex = 0;
  std::uint64_t readByHost = 0;         ///< of uniqueWritten: versions that the host read
  std::uint64_t hostRead = 0;           ///< of writtenByHost: versions that a launch read
  std::uint64_t incompleteLaunches = 0; ///< not traced, recorded in part, or records are missing

  /// Communicated bytes per written byte, from 0 to 1; 0 if nothing was written.
  double share() const {
    return uniqueWritten == 0 ? 0 : static_cast<double>(communicated) / static_cast<double>(uniqueWritten);
  }
};

/// Throws BadTrace.
Communication communication(const Model &model);

} // namespace cupr::analysis

#endif
