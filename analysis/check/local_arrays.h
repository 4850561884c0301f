/// Arrays in the local memory of threads: what lies outside of the one that an access means, and what is read that its thread has not written.
///
/// The problem: a thread's memory is a stack. Calls come back to places where others have been, and where an array lies no table says. So a function
/// that is entered says where its arrays begin (abi::Operation::LocalVariable), and accesses name theirs. From then on nothing is in an array, until its
/// thread, or a function that has got its address, stores there.
///
/// A call of itself puts another array of the same name somewhere else. What is outside of all places where the array has begun is out of bounds; and who
/// reads its own array finds it in the state that its own entry left it in, since calls from there lie elsewhere.
///
/// Words of four bytes are kept, a bit for each lane of a warp.
#ifndef CUPR_ANALYSIS_LOCAL_ARRAYS_H
#define CUPR_ANALYSIS_LOCAL_ARRAYS_H

#include "fault.h"
#include "site_traits.h"
#include "warp_step.h"

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

namespace cupr::analysis {

/// Of some blocks of one launch.
class LocalArrays {
public:
  /// `mostBytes`: of what is kept; beyond that nothing is told of what is read.
  LocalArrays(const ModuleTraits &module, std::uint64_t mostBytes) : module_(module), mostBytes_(mostBytes) {}

  /// The next step of the blocks, of local memory.
  void take(const WarpStep &step, const ChunkSteps &chunk);

  /// There was no room for all that is read.
  bool isFull() const { return isFull_; }
  /// What was found, one for each site: with rule, address, bytes, count, and of the place the site, the block and the thread.
  std::vector<Fault> faults() const;

private:
  static constexpr std::uint64_t kWordBytes = 4;
  /// Lanes, by words from `first` on.
  struct Words {
    std::uint64_t first = 0;
    std::vector<std::uint32_t> known, written;
    /// Makes room for these words.
    void reach(std::uint64_t begin, std::uint64_t end);
  };
  struct Array {
    std::uint64_t bytes = 0;
    bool isSure = false;
    std::vector<std::uint64_t> begins; ///< all that there were, but for too many
    bool areTooMany = false;
    bool holds(std::uint64_t begin, std::uint64_t end) const;
  };

  void begin(const WarpStep &step, const ChunkSteps &chunk, const SiteTraits &site);
  void access(const WarpStep &step, const ChunkSteps &chunk, const SiteTraits &site);
  Words *wordsOf(const WarpStep &step, std::uint64_t begin, std::uint64_t end);
  void tell(FaultRule rule, const WarpStep &step, unsigned lane, std::uint64_t address, std::uint64_t bytes);

  const ModuleTraits &module_;
  const std::uint64_t mostBytes_;
  std::uint64_t bytes_ = 0;
  bool isFull_ = false;
  std::unordered_map<std::uint32_t, Array> arrays_;             ///< by name
  std::unordered_map<std::uint64_t, Words> words_;              ///< by block and warp
  std::map<std::pair<std::uint32_t, FaultRule>, Fault> faults_; ///< by site
};

} // namespace cupr::analysis

#endif
