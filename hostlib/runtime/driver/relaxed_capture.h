/// Lets this thread call the driver while some stream is being captured, and puts the mode back. While a stream is
/// captured globally, CUDA takes calls that allocate, load or synchronise for the program's mistake, on any thread, and
/// invalidates the capture; ours have nothing to do with it.
#ifndef CUPR_RUNTIME_RELAXED_CAPTURE_H
#define CUPR_RUNTIME_RELAXED_CAPTURE_H

#include "driver.h"

namespace cupr::host {

class RelaxedCapture {
public:
  explicit RelaxedCapture(const Driver &driver) : driver_(driver) { exchange(); }
  ~RelaxedCapture() { exchange(); }
  RelaxedCapture(const RelaxedCapture &) = delete;
  RelaxedCapture &operator=(const RelaxedCapture &) = delete;

private:
  void exchange() { driver_.cuThreadExchangeStreamCaptureMode(&mode_); }
  const Driver &driver_;
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

} // namespace cupr::host

#endif
