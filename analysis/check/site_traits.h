/// What the sites of a module mean for the order of accesses.
#ifndef CUPR_ANALYSIS_SITE_TRAITS_H
#define CUPR_ANALYSIS_SITE_TRAITS_H

#include "race_model.h"

#include "analysis/model/model.h"
#include "devicelib/abi/memory_order.h"
#include "devicelib/abi/memory_space.h"
#include "devicelib/abi/operation.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cupr::analysis {

struct SiteTraits {
  abi::Operation operation = abi::Operation::Load;
  abi::MemorySpace space = abi::MemorySpace::Global;
  abi::MemoryScope scope = abi::MemoryScope::None;
  bool isAccess = false;      ///< of global or shared memory, and data
  bool isLocal = false;       ///< an access of local memory, or an array there begins
  bool isSure = false;        ///< abi::kSiteSure
  bool isSpeculated = false;  ///< abi::kSiteSpeculated
  std::uint32_t variable = 0; ///< of such: which array, a string of the module; 0: not known
  bool isGeneric = false;     ///< the same access has sites for other spaces, too
  bool reads = false, writes = false;
  bool isStrong = false; ///< others may count on it: atomic, with an order, or, as the model has it, volatile
  bool isCoherent = false; ///< atomic, with an order, or volatile: no cache of a multiprocessor comes between
  bool releases = false, acquires = false;
  bool takesLock = false, givesLock = false; ///< as a lock is that is 0 if nobody has it
  bool isRegardless = false;                 ///< abi::kSiteRegardless
  bool storesOneValue = false;               ///< the same in all threads of a launch
  bool isCopied = false;                     ///< a store of an asynchronous copy, for which its thread waits
  bool isRemoteCopy = false; ///< the same, for which others wait, at an mbarrier: st.async, red.async
  bool isSynchronisation = false;
  bool hasMask = false;       ///< which names the lanes that take part
  bool isGridArrival = false; ///< the block comes to a barrier of the grid
  std::uint32_t bytes = 0;    ///< 0: the records say it
  bool isNumber =
      false; ///< one of C++'s own types: all of its bytes mean something, as those of a structure need not
  std::uint32_t alignment = 1; ///< that the machine's instructions need
  std::uint32_t barrier = 0;   ///< of barriers: those of one place of the source have one number
  std::uint32_t first = 0;     ///< the first of the sites that are this one in the source: loops are unrolled

  bool isForDevice() const { return scope == abi::MemoryScope::Device || scope == abi::MemoryScope::System; }
  bool isForCluster() const { return scope == abi::MemoryScope::Cluster || isForDevice(); }
  bool isForBlock() const { return scope != abi::MemoryScope::None; }
};

struct ModuleTraits {
  explicit ModuleTraits(const trace::Module *module, RaceModel model = RaceModel::Ptx);

  RaceModel model;
  std::vector<SiteTraits> sites; ///< by number
  /// It was built to record what orders accesses; else only accesses that nothing could order say something.
  bool isSynchronised = false;
  bool recordsShared = false; ///< accesses of shared memory
  bool hasStrong = false;
  bool hasLocks = false;
  bool hasGridBarrier = false;
  bool hasMasks = false;       ///< of lanes
  bool hasArrays = false;      ///< in local memory
  bool hasSystemFence = false; ///< by which the host may be told that data is there
  /// Fences, or accesses with an order: by these threads hand each other data.
  bool mayHandOver = false;
  /// Shared memory may be written by what no thread does: copies of tensors.
  bool sharedIsOpen = false;
  bool hasClusterBarrier = false;
};

} // namespace cupr::analysis

#endif
