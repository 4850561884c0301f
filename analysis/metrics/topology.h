/// How GPUs are connected, as far as the time for an exchange depends on it: directed links of one bandwidth,
/// and the way from each GPU to each other.
#ifndef CUPR_ANALYSIS_TOPOLOGY_H
#define CUPR_ANALYSIS_TOPOLOGY_H

#include <cstddef>
#include <cstdint>

namespace cupr::analysis {

enum class TopologyKind : std::uint8_t {
  Switch, ///< each GPU has a link to a switch that never blocks
  Tree,   ///< two GPUs share a switch, and the switches' links meet at the root
  Ring    ///< each GPU has a link to the next one and to the one before; data goes the shorter way
};
inline const char *topologyName(TopologyKind kind) {
  static constexpr const char *kNames[] = {"switch", "tree", "ring"};
  return kNames[static_cast<std::size_t>(kind)];
}

/// Links are numbered: those out of GPU g are link g, those into it devices + g; what else there is comes
/// behind. In a ring, link g leads to the next GPU, and devices + g to the one before.
class Topology {
public:
  Topology(TopologyKind kind, unsigned devices) : kind_(kind), devices_(devices) {}

  std::size_t links() const {
    return kind_ == TopologyKind::Tree ? 2 * (std::size_t{devices_} + pairs()) : 2 * std::size_t{devices_};
  }

  /// Calls `visitor(link)` for the links on the way from one GPU to another one, in their order.
  template <typename Visitor> void route(unsigned from, unsigned to, Visitor visitor) const {
    if (kind_ == TopologyKind::Ring)
      return goRound(from, to, visitor);
    visitor(from);
    if (kind_ == TopologyKind::Tree && from / 2 != to / 2) {
      visitor(2 * devices_ + from / 2);
      visitor(2 * devices_ + pairs() + to / 2);
    }
    visitor(devices_ + to);
  }

private:
  unsigned pairs() const { return (devices_ + 1) / 2; }
  /// Of two ways of one length, upwards.
  template <typename Visitor> void goRound(unsigned from, unsigned to, Visitor visitor) const {
    const unsigned up = (to + devices_ - from) % devices_;
    const bool isUp = 2 * up <= devices_;
    for (unsigned at = from; at != to; at = (at + (isUp ? 1 : devices_ - 1)) % devices_)
      visitor(isUp ? at : devices_ + at);
  }

  TopologyKind kind_;
  unsigned devices_;
};

} // namespace cupr::analysis

#endif
