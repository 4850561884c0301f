/// While there is one, what this thread has the driver allocate is not listed as a library's: whoever makes the call
/// lists it, or it is the tracer's own.
#ifndef CUPR_RUNTIME_UNLISTED_CALL_H
#define CUPR_RUNTIME_UNLISTED_CALL_H

namespace cupr::host {

class UnlistedCall {
public:
  UnlistedCall() { ++depth_; }
  ~UnlistedCall() { --depth_; }
  UnlistedCall(const UnlistedCall &) = delete;
  UnlistedCall &operator=(const UnlistedCall &) = delete;

  /// Whether this thread has one.
  static bool isOpen() { return depth_ != 0; }

private:
  static thread_local unsigned depth_;
};

} // namespace cupr::host

#endif
