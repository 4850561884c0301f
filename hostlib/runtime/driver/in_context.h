/// Makes a context current for a while.
#ifndef CUPR_RUNTIME_IN_CONTEXT_H
#define CUPR_RUNTIME_IN_CONTEXT_H

#include "driver.h"

namespace cupr::host {

class InContext {
public:
  /// Null: the current one stays.
  InContext(const Driver &driver, CUcontext context) : driver_(driver) {
    if (!context || driver_.cuCtxGetCurrent(&before_) != CUDA_SUCCESS || context == before_)
      return;
    driver_.cuCtxSetCurrent(context);
    changes_ = true;
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
  bool changes_ = false;
};

} // namespace cupr::host

#endif
