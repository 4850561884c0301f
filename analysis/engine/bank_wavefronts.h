/// What the banks of shared memory make of a warp's access: wavefronts, and how many of them are conflicts.
///
/// Shared memory has 32 banks, each a word wide: word w of the block's window is in bank w % 32. In one wavefront, each bank gives or
/// takes one word, for any number of lanes. So a request (requests.h) takes as many wavefronts as the bank that has most to do needs; more
/// than one for a phase is a conflict.
///
/// - Loads and stores: the *different* words of a bank count. Lanes that access the same word, or parts of it, are served together.
/// - Requests whose lanes have more than a word each are made in *phases*, whose wavefronts add up: words of 4 bytes and 8 bytes for
///   each lane, lanes 0 to 15, then 16 to 31; 16 bytes: four times 8 lanes. Phases without active lanes take no wavefront.
/// - Two phases of a load are one where, in all of the warp, lanes n and n ^ 1 that are both active have one address, or all n and n ^ 2 have:
///   8 bytes are one phase then, 16 bytes two of 16 lanes. Not so for stores.
/// - Atomics: each lane takes its turn, whether words differ or not. Compare-and-swap takes two wavefronts for each, since it brings two
///   operands. One instruction is an exception, that adds 1 and gives nothing back: lanes of one word are served together, as in a
///   store. A site doesn't tell, so both are counted.
/// - ldmatrix and stmatrix are loads and stores of 16 bytes by 8, 16 or 32 lanes.
/// - With words of 8 bytes (compute capability 3.x, when set so), a lane has more than a word from 16 bytes on: two phases.
///
/// What is not made by such requests is not counted: bulk copies, tiles of wmma, and all else that is wider than 16 bytes in one
/// piece. An atomic that the compiler makes a loop of (floating-point numbers) counts as one.
///
/// Sources: CUDA C++ Programming Guide, "Shared Memory"; NVIDIA's forum on the merging of phases
/// (forums.developer.nvidia.com/t/77228); the rest, and all of it once more, by counters of an H100: test/bench/banks/rules.py.
#ifndef CUPR_ANALYSIS_BANK_WAVEFRONTS_H
#define CUPR_ANALYSIS_BANK_WAVEFRONTS_H

#include "analysis/model/records.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace cupr::analysis {

inline constexpr unsigned kBanks = 32;
enum class BankWidth : std::uint8_t { Four = 4, Eight = 8 }; ///< bytes of a word

struct BankFigures {
  std::uint64_t requests = 0;
  std::uint64_t conflicted = 0; ///< requests with conflicts
  std::uint64_t wavefronts = 0;
  std::uint64_t idealWavefronts = 0; ///< if no two words of a phase were in one bank
  /// As wavefronts, if atomics of one word were served together; of loads and stores the same.
  std::uint64_t wordWavefronts = 0;
  std::uint64_t worst = 0; ///< of all phases, the most that one bank had to do: 2 is a two-way conflict
  std::uint64_t excess() const { return wavefronts - idealWavefronts; }
  void add(const BankFigures &other, std::uint64_t times = 1) {
    requests += other.requests * times;
    conflicted += other.conflicted * times;
    wavefronts += other.wavefronts * times;
    idealWavefronts += other.idealWavefronts * times;
    wordWavefronts += other.wordWavefronts * times;
    worst = std::max(worst, times == 0 ? 0 : other.worst);
  }
  friend bool operator==(const BankFigures &, const BankFigures &) = default;
};

/// Of an access of shared memory.
BankFigures bankFigures(const Record &record, BankWidth width);

/// A word that a phase touches.
struct BankWord {
  std::uint64_t word;  ///< its number in the window
  std::uint32_t lanes; ///< those that access it
  unsigned bank() const { return static_cast<unsigned>(word % kBanks); }
};
struct BankUse {
  unsigned bank;
  std::uint64_t turns; ///< how often it has to give or take a word; more than 1 is a conflict
  std::vector<BankWord> words;
};
struct BankPhase {
  std::uint64_t wavefronts = 0;
  std::vector<BankUse> banks; ///< those that have something to do
};
/// Who touches what, for each phase of each of the record's requests: the bank table of an access.
std::vector<BankPhase> bankPhases(const Record &record, BankWidth width);

} // namespace cupr::analysis

#endif
