/// What connects two entities of a program's communication.
#ifndef CUPR_ANALYSIS_TRANSFER_H
#define CUPR_ANALYSIS_TRANSFER_H

#include "analysis/model/ordering.h"
#include "dependence.h"
#include "key_hash.h"

#include <array>
#include <cstdint>

namespace cupr::analysis {

/// The CTA of the host is 0. For communication: what the source wrote and the
/// destination read; else the source is the first of two accesses, and operations are 0.
struct Transfer {
  LaunchIndex source = kHost, destination = kHost;
  std::uint32_t sourceCta = 0, destinationCta = 0; ///< linear
  std::uint64_t bytes = 0;
  std::uint64_t operations = 0;
  DependenceClass dependence = kCommunication;

  /// By dependence, destination, source, destination CTA, source CTA; the host comes last.
  bool before(const Transfer &other) const {
    if (dependence != other.dependence)
      return dependence < other.dependence;
    return acts() != other.acts() ? acts() < other.acts() : ctas() < other.ctas();
  }
  std::uint64_t acts() const { return pairOf(destination, source); }
  std::uint64_t ctas() const { return pairOf(destinationCta, sourceCta); }
  friend bool operator==(const Transfer &, const Transfer &) = default;
};

} // namespace cupr::analysis

#endif
