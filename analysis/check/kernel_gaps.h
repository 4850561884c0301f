/// Kernels of which something could not be looked for, by what their launches lack.
#ifndef CUPR_ANALYSIS_KERNEL_GAPS_H
#define CUPR_ANALYSIS_KERNEL_GAPS_H

#include "memory_shard.h"
#include "unchecked.h"

#include <set>
#include <string>
#include <vector>

namespace cupr::analysis {

class KernelGaps {
public:
  void addUntraced(const LaunchInfo &info) { untraced_.add(info.kernel); }
  /// Of a launch that is looked at, and what can be told of it.
  void add(const LaunchInfo &info, const CheckedLaunch &launch);
  /// Adds to `unchecked`.
  void tell(std::vector<Unchecked> &unchecked) const;

private:
  /// Names kernels, each once, a few of them.
  class Names {
  public:
    void add(const std::string &name) { names_.insert(name); }
    bool isEmpty() const { return names_.empty(); }
    std::string text() const;

  private:
    std::set<std::string> names_;
  };

  Names untraced_, incomplete_, timed_, unordered_, unorderedStrong_, withoutShared_, openShared_;
};

} // namespace cupr::analysis

#endif
