/// The devices that the program sees: CUPR_CPU_DEVICES of them, all alike.
///
/// They have memory and module variables of their own, and share the host threads: one launch runs at a
/// time. Which device calls are for is a matter of each host thread (cudaSetDevice).
#ifndef CUPR_CPU_DEVICES_H
#define CUPR_CPU_DEVICES_H

namespace cupr::cpu {

inline constexpr int kMaxDevices = 16;

/// How many there are; at least 1.
int deviceCount();
inline bool isDevice(int device) { return device >= 0 && device < deviceCount(); }

/// The calling host thread's.
int currentDevice();
/// `device`: one that there is.
void selectDevice(int device);

/// Makes a device the calling thread's for a while.
class OnDevice {
public:
  explicit OnDevice(int device) : before_(currentDevice()) { selectDevice(device); }
  ~OnDevice() { selectDevice(before_); }
  OnDevice(const OnDevice &) = delete;
  OnDevice &operator=(const OnDevice &) = delete;

private:
  const int before_;
};

} // namespace cupr::cpu

#endif
