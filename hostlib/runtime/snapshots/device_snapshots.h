/// What memory held while kernels of a device ran, for launches whose accesses follow from it (abi/snapshot.h).
///
/// A kernel of ours runs in the launch's stream before the launch's kernel, and another behind it. They leave digests
/// of the memory, in pieces of 64 KiB, in arrays of pinned host memory that belong to the launch, and bring pieces through a
/// ring of slots, also in pinned host memory. When the launch ends nobody needs the driver to know what the memory held.
///
/// The kernel before waits while the ring is full. New memory needs the driver, which may wait for such a kernel. So who
/// takes pieces out of the ring, and ends launches, must not wait for who begins one: no lock of theirs is held in a call of
/// the driver.
#ifndef CUPR_RUNTIME_DEVICE_SNAPSHOTS_H
#define CUPR_RUNTIME_DEVICE_SNAPSHOTS_H

#include "devicelib/abi/snapshot.h"
#include "hostlib/runtime/driver/driver.h"
#include "snapshot_store.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace cupr::host {

/// One for each context. Memory is never given back: it lives as long as the context, and the driver may be gone
/// before us.
/// Threads: any thread may call any member, but `drain` from one at a time.
class DeviceSnapshots {
public:
  /// Gets a piece that has arrived, in `drain`; the bytes are there as long as the call takes. It must keep them for as long
  /// as there are launches: a piece does not come again while the memory is the same, except by chance.
  using Store = std::function<void(const PieceDigest &digest, const void *bytes, std::size_t size)>;

  /// Of the ring, in pinned host memory; made when the first launch begins.
  static constexpr std::size_t kRingBytes = std::size_t{abi::kSnapshotSlots} * abi::kPieceBytes;
  /// All tables of what is known take no more than this of the device's memory, for 64 GiB of regions; then regions that were
  /// not used for long have theirs taken away, and are brought anew.
  static constexpr std::size_t kMostKnownBytes = std::size_t{16} << 20;
  /// All arrays of digests take no more than this of pinned host memory: 128 GiB of regions in launches that are open.
  static constexpr std::size_t kMostDigestBytes = std::size_t{64} << 20;

  DeviceSnapshots(const Driver &driver, Store store) : driver_(driver), store_(std::move(store)) {}

  /// The snapshots of a launch, on their way.
  struct Pending {
    /// False: there are none, and the launch is to be recorded.
    explicit operator bool() const { return arrays.before; }

    struct Part {
      MemoryRegion region;
      CUdeviceptr known;
    };
    /// Pinned host memory.
    struct Arrays {
      abi::Digest *before = nullptr, *after = nullptr;
      std::uint64_t size = 0; ///< elements of each
    };
    std::vector<Part> parts;
    Arrays arrays;
  };

  /// Has the memory looked at by what follows in the stream, in the current context, which is not captured. None, and a
  /// message the first time, when there is no memory or a call of the driver fails; none when all the memory that there
  /// may be is in use.
  Pending begin(CUstream stream, std::span<const MemoryRegion> regions);
  /// Has it looked at again. False: a call of the driver failed, and there will be no result.
  bool finish(CUstream stream, const Pending &pending);
  /// Hands over the pieces that have arrived. One call behind the end of a launch hands over all that the launch needs. Calls no
  /// driver, and waits for nobody. Returns whether there was one.
  bool drain();
  /// Of a launch that is over, with a `drain` behind its end: for each region the digests of its pieces. Nothing: the memory
  /// has changed while the kernel ran.
  std::optional<std::vector<PieceDigests>> result(const Pending &pending) const;
  /// The arrays can be used again: the launch is over. (Of one that has failed they can't.)
  void give(const Pending &pending);

private:
  struct Known {
    CUdeviceptr table = 0;  ///< 0: there is none
    std::uint64_t size = 0; ///< entries
    std::uint64_t lastUse = 0;
  };

  bool prepare();
  CUresult makeRing();
  CUdeviceptr knownOf(const MemoryRegion &region);
  Known takeKnown(std::uint64_t pieces);
  Known makeKnown(std::uint64_t pieces);
  Pending::Arrays takeArrays(std::uint64_t pieces);
  Pending::Arrays takeFree(std::uint64_t size);
  std::vector<Pending::Arrays> makeArrays(std::uint64_t size);
  CUresult zeros(CUdeviceptr &address, std::size_t bytes);
  CUresult launch(CUstream stream, const Pending &pending, abi::Digest *digests, bool brings);
  void warn(CUresult result);

  const Driver &driver_;
  const Store store_;

  std::mutex allocating_; ///< held while the driver makes memory; guards what follows
  bool hasWarned_ = false, hasFailed_ = false;
  std::uint64_t uses_ = 0;
  std::size_t knownBytes_ = 0, digestBytes_ = 0; ///< allocated
  CUdeviceptr slab_ = 0;                         ///< where the next table comes
  std::size_t slabBytes_ = 0;                    ///< left there
  std::map<std::uint64_t, Known> known_;         ///< by the region's address
  std::vector<Known> spare_;

  // Written before the flag, and never again.
  CUfunction kernel_ = nullptr;
  unsigned mostBlocks_ = 0;
  abi::SnapshotRing ring_{};
  unsigned long long *freed_ = nullptr; ///< of the ring
  std::atomic<bool> isReady_{false};

  std::mutex mutex_; ///< guards what follows; never held in a call of the driver
  std::map<std::uint64_t, std::vector<Pending::Arrays>> free_; ///< by size
};

} // namespace cupr::host

#endif
