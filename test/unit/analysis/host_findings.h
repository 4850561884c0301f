/// What is found in a trace of what the host does.
#ifndef CUPR_TEST_HOST_FINDINGS_H
#define CUPR_TEST_HOST_FINDINGS_H

#include "analysis/metrics/results.h"
#include "unit/trace/host_scene.h"

#include <string>
#include <vector>

namespace cupr::test {

struct HostFile {
  TemporaryFile file;
};

/// With a file of its own.
class FoundScene : private HostFile, public HostScene {
public:
  explicit FoundScene(const std::string &deviceKind = "gpu") : HostScene(file.path(), deviceKind) {}

  /// Of one rule. The trace is over with that.
  std::vector<analysis::Finding> found(const std::string &id) {
    finish();
    std::vector<analysis::Finding> all = analysis::resultsOf(analysis::Model(file.path())).findings;
    std::erase_if(all, [&](const analysis::Finding &finding) { return idOf(finding.rule) != id; });
    return all;
  }
};

} // namespace cupr::test

#endif
