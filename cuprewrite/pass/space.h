/// The lattice of the address-space analysis (Rieber 2017, section 5.3.1).
///
///          Both         may be global or not: decided at run time
///         /    \
///     Global  NotGlobal proven
///         \    /
///        Unvisited      no value has reached this point yet
///
/// Transfer functions only move values upwards, and the lattice has height 3, so
/// every fixpoint iteration over it ends.
#ifndef CUPR_PASS_SPACE_H
#define CUPR_PASS_SPACE_H

#include <cstdint>

namespace cupr::pass {

enum class Space : std::uint8_t { Unvisited = 0, Global = 1, NotGlobal = 2, Both = 3 };

/// The least value above both.
inline Space join(Space a, Space b) {
  return static_cast<Space>(static_cast<std::uint8_t>(a) | static_cast<std::uint8_t>(b));
}

} // namespace cupr::pass

#endif
