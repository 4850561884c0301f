/// What is said of a fault: what it is, why nothing orders its accesses, and what would mend it.
#ifndef CUPR_ANALYSIS_FAULT_WORDS_H
#define CUPR_ANALYSIS_FAULT_WORDS_H

#include "shown_faults.h"

namespace cupr::analysis {

class FaultWords {
public:
  /// The model outlives it.
  explicit FaultWords(const Model &model) : model_(model) {}
  /// Gives the fault, whose places are known, its title and advice.
  void say(ShownFault &shown) const { sayRule(shown, *shown.fault); }

private:
  /// Whether the access is to another block's shared memory.
  bool isOfOther(const Fault &fault) const;
  static std::string linesText(const ShownFault &shown);
  void sayRule(ShownFault &shown, const Fault &fault) const;
  static std::string nameOf(const ShownPlace &place);
  void sayHostRace(ShownFault &shown, const Fault &fault) const;
  bool isWrittenBy(const FaultPlace &place) const;
  static void sayError(ShownFault &shown, const trace::HostFailure &failure);
  void sayCause(ShownFault &shown, const Fault &fault) const;
  /// Of the accesses of kernels: whether one is not just volatile.
  bool isAnyAtomic(const Fault &fault) const;
  static std::string underLock(const Fault &fault);
  static const char *twoOf(const Fault &fault);
  static const char *fenceFor(const Fault &fault);
  static std::string lineText(const ShownPlace &place, const char *unknown);

  const Model &model_;
};

/// Whether both accesses of a race are of blocks of one cluster.
bool isInCluster(const Model &model, const Fault &fault);

/// "1,234 bytes", "1 byte".
std::string countedBytes(std::uint64_t bytes);

} // namespace cupr::analysis

#endif
