/// The call paths of a process, as a tree: a node is a function's place on a path, its parent the place that it was called from.
/// Paths that have their outer parts in common have them once.
///
/// Threads: all members from any thread.
#ifndef CUPR_RUNTIME_PATH_TREE_H
#define CUPR_RUNTIME_PATH_TREE_H

#include "hostlib/trace/host_batch.h"
#include "unwind_recipe.h"

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace cupr::host {

/// A function's place in an object's code.
struct CodePlace {
  std::uint32_t object = trace::kNoHostIndex;
  std::uint64_t offset = 0;
  trace::HostNodeKind kind = trace::HostNodeKind::Frame;
  bool operator==(const CodePlace &) const = default;
};

class PathTree {
public:
  /// The node below `parent` (trace::kNoHostIndex: an outermost one); there is one from now on.
  std::uint32_t childOf(std::uint32_t parent, const CodePlace &place);
  /// The index of the object.
  std::uint32_t indexOf(const CodeObject &object);

  /// Appends what is new since the last call.
  void takeNew(trace::HostBatch &batch);

  /// Where an object is loaded, or was.
  struct LoadedObject {
    std::string path; ///< absolute, of the file that was loaded
    std::string buildId;
    std::uint64_t begin = 0, bias = 0;
  };
  /// All objects so far, by index.
  std::vector<LoadedObject> objects() const;
  /// All places of nodes so far, once each.
  std::vector<CodePlace> places() const;

private:
  struct Key {
    std::uint32_t parent;
    CodePlace place;
    bool operator==(const Key &) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key &key) const noexcept;
  };

  mutable std::mutex mutex_;
  std::unordered_map<Key, std::uint32_t, KeyHash> nodes_;
  std::vector<trace::HostNode> ordered_;
  std::vector<LoadedObject> objects_;
  std::size_t nodesTaken_ = 0, objectsTaken_ = 0;
};

} // namespace cupr::host

#endif
