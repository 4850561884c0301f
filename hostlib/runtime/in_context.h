/// Makes a context current for a while.
#ifndef CUPR_RUNTIME_IN_CONTEXT_H
#define CUPR_RUNTIME_IN_CONTEXT_H

#include "driver.h"

namespace cupr::host {

class InContext {
public:
  /// Null: the current one stays.
  InContext(const Driver &driver, CUcontext context) : driver_(driver) {
    driver_.cuCtxGetCurrent(&before_);
    changes_ = context && context != before_;
    if (changes_)
      driver_.cuCtxSetCurrent(context);
  }
  ~InContext() {
    if (changes_)
      driver_.cuCtxSetCurrent(before_);
  }
  InContext(const InContext &) = delete;
  InContext &operator=(const InContext &) = delete;

private:
  const Driver &driver_;
  CUcontext before_ = nullptr;
  bool changes_;
};

} // namespace cupr::host

#endif
