/// Communication through global memory: data that one launch writes and a later one reads. docs/analysis.md
/// defines every figure, with its edge cases; here is how they hang together.
///
/// Terms
/// - entity: a CTA of a launch, or the host (its copies and sets). Threads of one CTA are one entity.
/// - version: what a byte holds from one write to the next. A byte that several CTAs write in one launch is
/// one version,
///   whose writer is the last record's.
/// - a version communicates when a launch reads it that the writing launch happens before (Ordering), also
/// when the CTA
///   has the same index: nothing tells a program that the two meet on one SM. Same and other index are
///   reported apart.
///
/// Within one launch, reads see memory as it was before the launch, and then the writes take effect: CUDA
/// gives no order between the CTAs of a launch, so only what an earlier launch wrote is communicated
/// reliably. But what a CTA reads behind a write of its own is its own. Atomics read and write. Launches are
/// taken in the order of the host's calls; a read of a version whose launch does not happen before its own is
/// kept apart as concurrent. A host copy reads its source and writes its destination as the host, but for one
/// on the device, which hands on who wrote its source; a set writes. Freed memory is forgotten. What the host or code without instrumentation does with memory by other
/// means is not in a trace.
///
/// Source: D. S. Rieber, Characterization of GPU Communication (Heidelberg, 2017), chapter 4.
#ifndef CUPR_ANALYSIS_COMMUNICATION_H
#define CUPR_ANALYSIS_COMMUNICATION_H

#include "analysis/model/model.h"
#include "analysis/model/ordering.h"
#include "dependence.h"
#include "key_hash.h"
#include "sorted_sum.h"
#include "transfer_sum.h"
#include "unseen_launches.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace cupr::analysis {

class CommunicatedAccesses;
class Peers;

/// All volumes are bytes.
struct LaunchVolume {
  std::uint64_t uniqueRead = 0;    ///< distinct bytes that the launch read
  std::uint64_t uniqueWritten = 0; ///< distinct bytes that it wrote
  /// Of uniqueRead: the version was written by an earlier launch, or by the host.
  std::uint64_t readFromLaunches = 0, readFromHost = 0;
  /// Of uniqueWritten: a later launch read the version; the host did.
  std::uint64_t readByLaunches = 0, readByHost = 0;
  /// Of uniqueWritten: a launch or copy that nothing orders behind this one read the version; or the host can
  /// read it without a call. A version may be counted for each.
  std::uint64_t mayBeRead = 0;
  /// Of readFromLaunches and of readByLaunches: handed on, to a CTA of another index or to another kernel.
  std::uint64_t readHandedOn = 0, handedOn = 0;
  /// Bytes of threads' reads that met what an earlier launch wrote.
  std::uint64_t readByThreads = 0;
  /// Possibly overwritten, by launches that weren't seen (UnseenLaunches) or by the host without a call
  /// (Ordering::hostMayActBetween): of readFromLaunches and readFromHost; of readByLaunches, what no
  /// launch read for certain; of readByHost.
  std::uint64_t readOverwritten = 0, overwritten = 0, readByHostOverwritten = 0;
  /// Bytes of what it wrote that copies on the device wrote once more. They count as written by it in what is
  /// read by launches and by the host, but not in uniqueWritten.
  std::uint64_t copied = 0;
  /// Of uniqueWritten: the launch before, of another kernel, had written it, and this one has not gone on with what that one left: it didn't
  /// read it, or the host had written between.
  std::uint64_t writtenAfresh = 0;

  LaunchVolume &operator+=(const LaunchVolume &other);
};

/// What one launch wrote and another read. Never host to host.
struct LaunchPair {
  LaunchIndex source = kHost, destination = kHost;
  /// Distinct bytes of the source that the destination read. All copies of the host are one destination.
  std::uint64_t bytes = 0;
  /// Of these: read by the CTA with the writer's index; by another one. A byte may be in
  /// both. Only between launches.
  std::uint64_t sameIndex = 0, otherIndex = 0;
  std::uint64_t operations = 0;  ///< reads by threads (host: copies) that met such a byte
  std::uint64_t ctaPairs = 0;    ///< distinct (source CTA, destination CTA)
  std::uint64_t overwritten = 0; ///< of bytes: possibly overwritten; of what the host read, it isn't known
};

/// A site as one kernel reaches it.
struct KernelSite {
  LaunchIndex launch = kHost; ///< the first launch of the kernel; kHost: copies and sets
  std::uint32_t site = 0;     ///< as Communication::sites
  friend auto operator<=>(const KernelSite &, const KernelSite &) = default;
};

struct Dependence {
  DependenceClass dependence;
  KernelSite first, second;
  friend auto operator<=>(const Dependence &, const Dependence &) = default;
};
struct DependenceVolume {
  /// RAW: bytes of the reading threads' accesses that met the first place's. Else distinct bytes per launch.
  std::uint64_t bytes = 0;
  std::uint64_t sameIndex = 0, otherIndex = 0; ///< of bytes
};

/// Bytes by stride (access_runs.h); jumps that are no exact multiple are rounded.
using StrideVolume = std::map<std::uint64_t, std::uint64_t>;

/// All accesses at one site.
struct SiteVolume {
  const trace::Module *module = nullptr;
  const trace::Site *site = nullptr;
  trace::Counts counts;
  std::uint64_t requests = 0; ///< warp-level accesses
  std::uint64_t sectors = 0;  ///< distinct 32-byte sectors of each request, summed
  std::uint64_t leastSectors = 0;
  StrideVolume strides;
  std::uint64_t communicated = 0;     ///< distinct bytes written here that a later launch read
  std::uint64_t readCommunicated = 0; ///< bytes read here, by threads, that an earlier launch had written
};

/// A copy of the host's, or a set. In distinct bytes, whatever it moved.
struct CopyVolume {
  /// Of what it wrote: a launch, or another copy, read it.
  std::uint64_t read = 0;
  /// Of what launches wrote and it read: a copy before it, which nothing has written behind since, had brought it to the host already.
  std::uint64_t again = 0;
  /// Of what it wrote: a copy before it had brought the same, and nothing has written them since.
  std::uint64_t unchanged = 0;
};

/// Distinct bytes that were written again before anything can have read them.
struct OverwrittenVolume {
  std::uint64_t bytes = 0;
  std::uint64_t bySameKernel = 0; ///< of `bytes`: a later launch of the same kernel did
  OverwrittenVolume &operator+=(const OverwrittenVolume &other) {
    bytes += other.bytes;
    bySameKernel += other.bySameKernel;
    return *this;
  }
};

/// An access that loads what another had loaded in the launch before, of another kernel and the same shape, in a CTA of the same index. Of
/// the CTAs that load a byte in a launch, the two with the lowest indices are looked at. What lies in no known allocation doesn't count: it
/// is a table in the code.
struct LoadedAgain {
  KernelSite first, second;
  friend auto operator<=>(const LoadedAgain &, const LoadedAgain &) = default;
};

struct AllocationVolume {
  trace::Counts counts;
  std::uint64_t uniqueRead = 0, uniqueWritten = 0; ///< sums over launches
  std::uint64_t copied = 0;                        ///< into it, as LaunchVolume::copied
  std::uint64_t communicated = 0;                  ///< of uniqueWritten and copied
};

/// What a CTA accessed in all, or an SM: its number is `index`.
struct EntityVolume {
  LaunchIndex launch = 0;
  std::uint32_t index = 0;
  std::uint32_t sm = 0;                        ///< of a CTA: where it ran
  std::uint64_t loadBytes = 0, storeBytes = 0; ///< by threads; atomics are in both
  std::uint64_t accesses = 0, bytes = 0;       ///< by threads; atomics count once
  std::uint64_t stored = 0;                    ///< distinct bytes that a later launch read; only of CTAs

  bool before(const EntityVolume &other) const { return key() < other.key(); }
  std::array<std::uint32_t, 2> key() const { return {launch, index}; }
  void add(const EntityVolume &other) {
    sm = std::max(sm, other.sm);
    loadBytes += other.loadBytes;
    storeBytes += other.storeBytes;
    accesses += other.accesses;
    bytes += other.bytes;
    stored += other.stored;
  }
};

/// Bytes of a CTA's accesses that take part in communication, with one stride.
struct CtaStride {
  /// As the strides of Communication.
  enum class Kind : std::uint32_t { Loads, Stores, HandedOnLoads, HandedOnStores };
  LaunchIndex launch = 0;
  std::uint32_t cta = 0;
  Kind kind = Kind::Loads;
  std::uint64_t stride = 0, bytes = 0;

  bool before(const CtaStride &other) const {
    if (entity() != other.entity())
      return entity() < other.entity();
    return kind != other.kind ? kind < other.kind : stride < other.stride;
  }
  void add(const CtaStride &other) { bytes += other.bytes; }

private:
  std::uint64_t entity() const { return pairOf(launch, cta); }
};
/// As the members of results are called.
inline const char *strideName(CtaStride::Kind kind) {
  static constexpr const char *kNames[] = {"loads", "stores", "handedOnLoads", "handedOnStores"};
  return kNames[static_cast<unsigned>(kind)];
}

/// What a program did in all; or several programs, added up.
struct ProgramVolume {
  trace::Counts counts;            ///< all accesses, by threads
  std::uint64_t uniqueRead = 0;    ///< sum over launches
  std::uint64_t uniqueWritten = 0; ///< sum over launches: distinct (byte, launch)
  std::uint64_t copied = 0;        ///< sum over launches: what copies on the device wrote for them
  std::uint64_t writtenByHost = 0; ///< bytes of copies and sets
  /// Of uniqueWritten: versions that a later launch read; of these with the CTA of the
  /// same index, and of another (a version may be in both).
  std::uint64_t communicated = 0, sameIndex = 0, otherIndex = 0;
  /// Of communicated: read by a CTA of another index or by another kernel (Rieber 2017, section 6.2.1).
  std::uint64_t handedOn = 0;
  std::uint64_t concurrent = 0; ///< of uniqueWritten: versions that an unordered launch read
  std::uint64_t readByHost = 0; ///< of uniqueWritten: versions that the host read
  std::uint64_t hostRead = 0;   ///< of writtenByHost: versions that a launch read
  /// Possibly overwritten: of communicated, readByHost and hostRead.
  std::uint64_t overwritten = 0, readByHostOverwritten = 0, hostReadOverwritten = 0;
  /// Sum over pairs of launches, and of what the host read: bytes of so many producers that the last one
  /// stands for all.
  std::uint64_t ofLastProducer = 0;
  std::uint64_t incompleteLaunches = 0; ///< not traced, recorded in part, or records are missing

  ProgramVolume &operator+=(const ProgramVolume &other);
  /// By launches, and for them by copies on the device.
  std::uint64_t written() const { return uniqueWritten + copied; }
  /// Communicated bytes, or those handed on, per written byte, from 0 to 1; 0 if nothing was written.
  double share() const { return ofWritten(communicated); }
  double handedOnShare() const { return ofWritten(handedOn); }
  bool hasOverwritten() const { return overwritten + readByHostOverwritten + hostReadOverwritten != 0; }

private:
  double ofWritten(std::uint64_t bytes) const {
    return written() == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(written());
  }
};

struct Communication : ProgramVolume {
  std::optional<Ordering> ordering;
  std::vector<LaunchVolume> launches; ///< as Model::launches()
  std::map<Act, CopyVolume> copies;   ///< those of which there is something to say
  /// By access of the source, as in Dependence: distinct bytes that it wrote, summed over launches, and that a later launch or the host
  /// wrote again before anything can have read them.
  std::map<KernelSite, OverwrittenVolume> overwrittenUnread;
  /// By accesses of the source, as in Dependence: distinct bytes, summed over launches, that nothing wrote between.
  std::map<LoadedAgain, std::uint64_t> loadedAgain;
  std::vector<LaunchPair> pairs; ///< by destination, then source; the host comes last

  std::map<Dependence, DependenceVolume> dependences;
  std::vector<SiteVolume> sites;             ///< of all modules, one behind the other
  std::vector<AllocationVolume> allocations; ///< as Model::allocations(), and one for all else
  /// Of accesses that take part in communication: loads by threads, stores by distinct bytes.
  StrideVolume loadStrides, storeStrides;
  StrideVolume handedOnLoadStrides, handedOnStoreStrides;

  std::shared_ptr<TransferSum> transfers;
  std::shared_ptr<SortedSum<EntityVolume>> ctas, sms;
  std::shared_ptr<SortedSum<CtaStride>> ctaStrides; ///< null: they were not asked for
};

/// The largest transfers between launches, by descending bytes.
struct LargestTransfers {
  std::vector<Transfer> largest; ///< at most as many as were asked for
  std::uint64_t all = 0;         ///< how many there are
};
LargestTransfers
largestTransfers(const Communication &communication, std::size_t count,
                 const std::function<bool(LaunchIndex source, LaunchIndex destination)> &wants);

/// What a copy from the device to the device is.
enum class DeviceCopies {
  HandOn, ///< who wrote its source has written its destination
  Read    ///< the host reads its source and writes its destination, as in other copies
};

struct AnalysisOptions {
  unsigned threads = 0;     ///< 0: one per processor, and no more than one for each 160 MiB of memory
  std::uint64_t memory = 0; ///< bytes, about; 0: by the trace's size (docs/analysis.md)
  bool quiet = true;        ///< no progress on stderr
  DeviceCopies copies = DeviceCopies::HandOn;
  Peers *peers = nullptr;  ///< that work on the trace together; null: none
  bool ctaStrides = false; ///< strides of each CTA are asked for
  /// Is told which accesses take part in communication; null: nobody asks. Not with peers.
  CommunicatedAccesses *accesses = nullptr;
};

/// Reads the trace once, or several times if the memory doesn't suffice for all addresses at a time. The
/// result does not depend on the options, but for `copies`. Throws BadTrace; std::runtime_error if a temporary file can't be
/// written; with peers PeerFailure for both, in all of them. Of peers, only the first has the result.
Communication communication(const Model &model, const AnalysisOptions &options = {});

} // namespace cupr::analysis

#endif
