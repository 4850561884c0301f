/// How far apart two uses of the same thing are: how many others were used in between, each counted once.
///
/// A cache of n lines of which the one used least recently makes room has, of all that is used again, what is used again at a distance below
/// n. So one walk through what is used says how a cache of any size would do (R. Mattson, J. Gecsei, D. Slutz, I. Traiger, Evaluation
/// Techniques for Storage Hierarchies, IBM Systems Journal 1970).
///
/// Each thing has the time of its last use, and a mark at that time: the distance is the number of marks behind it. They are summed in a
/// tree (Fenwick's), so a use takes time by the logarithm of the number of things. Times are numbered anew when they run out.
#ifndef CUPR_ANALYSIS_REUSE_STACK_H
#define CUPR_ANALYSIS_REUSE_STACK_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace cupr::analysis {

class ReuseStack {
public:
  struct Thing {
    std::uint32_t time = 0;
    std::uint8_t parts = 0; ///< the user's own
  };
  struct Use {
    std::optional<std::uint64_t> distance; ///< none: it is used for the first time
    Thing &thing;                          ///< until the next use
  };
  /// Of memory, for each thing, about.
  static constexpr std::uint64_t kBytesEach = 64;

  /// Of 2^32 things at most.
  Use use(std::uint64_t key);
  void clear();
  std::size_t size() const { return things_.size(); }

private:
  void mark(std::uint32_t time, std::int32_t change);
  std::uint64_t marksUpTo(std::uint32_t time) const;
  void renumber();

  std::unordered_map<std::uint64_t, Thing> things_;
  std::vector<std::uint32_t> tree_; ///< node i, from 1, has the marks of the (i & -i) times up to the i-th
  std::uint32_t now_ = 0;
};

} // namespace cupr::analysis

#endif
