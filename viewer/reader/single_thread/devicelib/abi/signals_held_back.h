/// devicelib/abi/signals_held_back.h where there are no signals.
#ifndef CUPR_VIEWER_SIGNALS_HELD_BACK_H
#define CUPR_VIEWER_SIGNALS_HELD_BACK_H

namespace cupr::abi {

struct SignalsHeldBack {
  SignalsHeldBack() {}
  ~SignalsHeldBack() {}
};

} // namespace cupr::abi

#endif
