/// What each CTA and each SM accessed, and how much of it is communication (Rieber 2017, appendix B: CDV,
/// CCV, SDV and SCV).
#ifndef CUPR_ANALYSIS_ENTITY_VOLUMES_H
#define CUPR_ANALYSIS_ENTITY_VOLUMES_H

#include "analysis/engine/communication.h"

#include <memory>

namespace cupr::analysis {

/// An SM is where a CTA ran: its communication is that of its CTAs in the launch.
struct EntityTraffic {
  EntityVolume volume;
  std::uint64_t ctas = 0; ///< 1, or the SM's
  /// Bytes of transfers to it from earlier launches and from it to later ones; a byte counts once for every
  /// CTA that reads it.
  std::uint64_t received = 0, sent = 0;

  bool before(const EntityTraffic &other) const { return volume.before(other.volume); }
  void add(const EntityTraffic &other) {
    volume.add(other.volume);
    ctas += other.ctas;
    received += other.received;
    sent += other.sent;
  }
};

struct EntityTraffics {
  std::unique_ptr<SortedSum<EntityTraffic>> ctas, sms; ///< by launch, then number
};

EntityTraffics entityTraffics(const Communication &communication);

} // namespace cupr::analysis

#endif
