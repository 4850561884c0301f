/// One device and another: access to its memory, and copies between the two.
///
/// All devices lie in one address space, so access needs nothing; what has been enabled is kept in order to
/// answer as CUDA does. A kernel that uses a device's memory without access to it is not noticed.
#include "api.h"

#include "capture.h"

#include <array>
#include <bitset>
#include <mutex>

namespace cupr::cpu {

namespace {

/// Which device has access to which.
struct Peers {
  std::mutex mutex;
  std::array<std::bitset<kMaxDevices>, kMaxDevices> of; ///< by the device that has access
};
Peers &peers() {
  static auto *peers = new Peers;
  return *peers;
}

std::size_t index(int device) { return static_cast<std::size_t>(device); }

cudaError_t enable(int peer, unsigned flags) {
  const int own = currentDevice();
  if (!isDevice(peer) || peer == own)
    return cudaErrorInvalidDevice;
  if (flags)
    return cudaErrorInvalidValue;
  std::lock_guard lock(peers().mutex);
  auto enabled = peers().of[index(own)][index(peer)];
  if (enabled)
    return cudaErrorPeerAccessAlreadyEnabled;
  enabled = true;
  return cudaSuccess;
}

cudaError_t disable(int peer) {
  if (!isDevice(peer))
    return cudaErrorInvalidDevice;
  std::lock_guard lock(peers().mutex);
  auto enabled = peers().of[index(currentDevice())][index(peer)];
  if (!enabled)
    return cudaErrorPeerAccessNotEnabled;
  enabled = false;
  return cudaSuccess;
}

cudaError_t copyPeer(void *to, int toDevice, const void *from, int fromDevice, std::size_t count,
                     cudaStream_t stream) {
  if (!isDevice(toDevice) || !isDevice(fromDevice))
    return cudaErrorInvalidDevice;
  return copyIn(stream, to, 0, from, 0, count, 1, cudaMemcpyDeviceToDevice);
}

cudaError_t copy3DPeer(const cudaMemcpy3DPeerParms *p, cudaStream_t stream) {
  if (!p)
    return cudaErrorInvalidValue;
  if (!isDevice(p->srcDevice) || !isDevice(p->dstDevice))
    return cudaErrorInvalidDevice;
  const cudaMemcpy3DParms copy{p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
                               p->dstPos,   p->dstPtr, p->extent, cudaMemcpyDeviceToDevice};
  return isCaptured(stream) ? captureWork(stream, CopyWork{copy}) : copy3D(&copy);
}

} // namespace

void forgetPeers(int device) {
  std::lock_guard lock(peers().mutex);
  peers().of[index(device)].reset();
}

} // namespace cupr::cpu

using namespace cupr::cpu;

CUPR_CPU_API(cudaDeviceCanAccessPeer)(int *can, int device, int peer) {
  if (!can)
    return answer(cudaErrorInvalidValue);
  if (!isDevice(device) || !isDevice(peer))
    return answer(cudaErrorInvalidDevice);
  *can = device != peer;
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaDeviceEnablePeerAccess)(int peer, unsigned flags) { return answer(enable(peer, flags)); }
CUPR_CPU_API(cudaDeviceDisablePeerAccess)(int peer) { return answer(disable(peer)); }
CUPR_CPU_API(cudaDeviceGetP2PAttribute)(int *value, cudaDeviceP2PAttr attribute, int device, int peer) {
  if (!value)
    return answer(cudaErrorInvalidValue);
  if (!isDevice(device) || !isDevice(peer) || device == peer)
    return answer(cudaErrorInvalidDevice);
  *value = attribute != cudaDevP2PAttrPerformanceRank; // rank 0: the best
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaMemcpyPeer)(void *to, int toDevice, const void *from, int fromDevice, size_t count) {
  return answer(copyPeer(to, toDevice, from, fromDevice, count, nullptr));
}
CUPR_CPU_API(cudaMemcpyPeerAsync)
(void *to, int toDevice, const void *from, int fromDevice, size_t count, cudaStream_t stream) {
  return answer(copyPeer(to, toDevice, from, fromDevice, count, stream));
}
CUPR_CPU_API(cudaMemcpy3DPeer)(const cudaMemcpy3DPeerParms *parameters) {
  return answer(isCaptured(nullptr) ? refuseCapture(nullptr) : copy3DPeer(parameters, nullptr));
}
CUPR_CPU_API(cudaMemcpy3DPeerAsync)(const cudaMemcpy3DPeerParms *parameters, cudaStream_t stream) {
  return answer(copy3DPeer(parameters, stream));
}
