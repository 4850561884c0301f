/// Words of a phase are listed with their lanes, by bank; what a bank has to do is then a matter of counting.
#include "bank_wavefronts.h"

#include "requests.h"

#include "devicelib/abi/cluster_address.h"

#include <array>
#include <bit>

namespace cupr::analysis {

namespace {

/// The widest request, in bytes, and the words that a lane's bytes may touch, if they are not aligned.
constexpr unsigned kWidest = 16, kWordsOfLane = 5;

/// Whether active lanes n and n ^ `distance` have one address.
bool arePairs(const abi::WarpAccess &access, unsigned distance) {
  for (std::uint32_t left = access.laneMask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const unsigned other = lane ^ distance;
    if ((access.laneMask >> other & 1) != 0 && access.address[lane] != access.address[other])
      return false;
  }
  return true;
}

/// The lanes whose access is to the block's own memory: that of other blocks of the cluster has banks elsewhere, and comes over the network.
std::uint32_t ownLanes(const abi::WarpAccess &access) {
  std::uint32_t own = access.laneMask;
  for (std::uint32_t left = access.laneMask; left != 0; left &= left - 1)
    if (abi::isOfOtherBlock(access.address[std::countr_zero(left)]))
      own &= ~(left & (0 - left));
  return own;
}

/// One instruction: bytes [offset, offset + bytes) of each lane's access.
struct BankRequest {
  std::uint64_t offset;
  unsigned bytes;
};

class Banks {
public:
  Banks(const Record &record, BankWidth width)
      : access_(record.access), lanes_(ownLanes(record.access)), operation_(record.site->operation),
        width_(static_cast<unsigned>(width)) {
    const bool isMerged = abi::operationClass(operation_) == abi::OperationClass::Load &&
                          width == BankWidth::Four && (arePairs(access_, 1) || arePairs(access_, 2));
    mergedPhases_ = isMerged ? 2 : 1;
  }

  /// `visit(const BankWord *begin, const BankWord *end)`, for each phase that has active lanes.
  template <typename Visit> void forEachPhase(const BankRequest &request, Visit visit) const {
    const unsigned phases = std::max(1u, std::bit_ceil(request.bytes) / width_ / mergedPhases_),
                   lanes = abi::kLanes / phases;
    for (unsigned phase = 0; phase < phases; ++phase) {
      const std::uint32_t those = phases == 1 ? ~0u : ((1u << lanes) - 1) << phase * lanes;
      const std::uint32_t active = lanes_ & those;
      if (active == 0)
        continue;
      std::array<BankWord, kWordsOfLane * abi::kLanes> words;
      visit(words.data(), words.data() + wordsOf(request, active, words.data()));
    }
  }

  /// What the bank of [begin, end) with most to do needs, by words and, for atomics, by lanes.
  struct Needs {
    std::uint64_t words = 0, turns = 0;
  };
  Needs needsOf(const BankWord *begin, const BankWord *end) const {
    Needs most, of;
    for (const BankWord *word = begin; word != end; ++word) {
      if (word == begin || word->bank() != word[-1].bank())
        of = {};
      ++of.words;
      of.turns += isAtomic() ? abi::activeLanes(word->lanes) : 1;
      most = {std::max(most.words, of.words), std::max(most.turns, of.turns)};
    }
    return most;
  }
  /// Wavefronts of a turn.
  std::uint64_t perTurn() const { return operation_ == abi::Operation::AtomicCAS ? 2 : 1; }

private:
  bool isAtomic() const { return abi::operationClass(operation_) == abi::OperationClass::Atomic; }

  /// By bank and number, each once. Gives how many.
  std::size_t wordsOf(const BankRequest &request, std::uint32_t lanes, BankWord *words) const {
    std::size_t count = 0;
    for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(left));
      const std::uint64_t first = access_.address[lane] + request.offset;
      const std::uint64_t further = (first % width_ + request.bytes - 1) / width_;
      for (std::uint64_t next = 0; next <= further; ++next)
        words[count++] = {first / width_ + next, 1u << lane};
    }
    // By bank first: that is the lowest bits.
    static_assert(kBanks == 1u << 5);
    std::ranges::sort(words, words + count, {}, [](const BankWord &of) { return std::rotr(of.word, 5); });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i)
      if (kept != 0 && words[kept - 1].word == words[i].word)
        words[kept - 1].lanes |= words[i].lanes;
      else
        words[kept++] = words[i];
    return kept;
  }

  const abi::WarpAccess &access_;
  const std::uint32_t lanes_;
  const abi::Operation operation_;
  const unsigned width_;
  unsigned mergedPhases_; ///< that are one
};

/// `visit(const BankRequest &)`, for each that the banks see.
template <typename Visit> void forEachRequest(const Record &record, Visit visit) {
  if (ownLanes(record.access) == 0)
    return;
  const std::uint64_t bytes = record.site->bytes, largest = largestPart(record);
  if (largest == 0) {
    if (record.access.form != abi::RecordForm::Range && bytes != 0 && bytes <= kWidest)
      visit(BankRequest{0, static_cast<unsigned>(bytes)});
    return;
  }
  for (std::uint64_t offset = 0; offset < bytes;) {
    const std::uint64_t part = nextPart(largest, bytes - offset);
    visit(BankRequest{offset, static_cast<unsigned>(part)});
    offset += part;
  }
}

} // namespace

BankFigures bankFigures(const Record &record, BankWidth width) {
  BankFigures figures;
  const Banks banks(record, width);
  forEachRequest(record, [&](const BankRequest &request) {
    BankFigures made{.requests = 1};
    banks.forEachPhase(request, [&](const BankWord *begin, const BankWord *end) {
      const Banks::Needs needs = banks.needsOf(begin, end);
      made.wavefronts += needs.turns * banks.perTurn();
      made.wordWavefronts += needs.words * banks.perTurn();
      made.idealWavefronts += banks.perTurn();
      made.worst = std::max(made.worst, needs.turns);
    });
    made.conflicted = made.excess() != 0;
    figures.add(made);
  });
  return figures;
}

std::vector<BankPhase> bankPhases(const Record &record, BankWidth width) {
  std::vector<BankPhase> phases;
  const Banks banks(record, width);
  forEachRequest(record, [&](const BankRequest &request) {
    banks.forEachPhase(request, [&](const BankWord *begin, const BankWord *end) {
      BankPhase &phase =
          phases.emplace_back(BankPhase{banks.needsOf(begin, end).turns * banks.perTurn(), {}});
      for (const BankWord *next = begin; begin != end; begin = next) {
        while (next != end && next->bank() == begin->bank())
          ++next;
        phase.banks.push_back({begin->bank(), banks.needsOf(begin, next).turns, {begin, next}});
      }
    });
  });
  return phases;
}

} // namespace cupr::analysis
