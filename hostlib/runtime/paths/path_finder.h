/// Finds the call path of one thread, again and again.
///
/// The problem: programs make hundreds of thousands of calls below sixty functions, and a microsecond for each is too much. But most of a path is
/// what it was at the last call: only the innermost functions have returned, and others been called. Marks in return addresses
/// would tell how far that goes; they would be changes to the program's stack, which exceptions, debuggers and other tools look at too. So nothing
/// is changed: the last path is kept, with the places on the stack where each return address and frame pointer lay. A walk
/// goes from the innermost function outwards, by recipes that are kept by place in the code, until it meets a frame of the last path: the same
/// place in the code with the same stack and frame pointers. From there on each frame follows from these three and from what
/// the kept places hold; if they hold what they held, the rest of the path is the same. That is a load and a comparison for each frame, and
/// it is exact, not a guess.
///
/// A library that is unloaded may leave its addresses to another one. So each place that was looked up says which object it is of, and
/// is looked up again where that isn't there any more. (Functions that have not returned can't be unloaded.)
///
/// Source: Zhou and Mellor-Crummey (2019), slides 11 and 12, whose marks this does without.
///
/// Threads: one per thread.
#ifndef CUPR_RUNTIME_PATH_FINDER_H
#define CUPR_RUNTIME_PATH_FINDER_H

#include "call_stack.h"
#include "path_tree.h"
#include "stack_memory.h"

#include <array>
#include <memory>
#include <vector>

namespace cupr::host {

class PathFinder {
public:
  /// `tree` must outlive it.
  explicit PathFinder(PathTree &tree);

  /// The node of the path at whose inner end the thread's function is that has these registers.
  std::uint32_t pathOf(const Registers &innermost);
  /// The same for a stack of which there is a copy. `isInterrupted`: as in StackFrame.
  std::uint32_t pathOf(const Registers &innermost, bool isInterrupted, const CopiedStack &memory);

private:
  /// A place in the code, as it was looked up.
  struct Code {
    std::uint64_t address = 0; ///< 0: nothing was
    CodeObject object;
    UnwindRecipe recipe;
    CodePlace place;
  };
  struct Frame {
    StackFrame frame;
    StackSlots slots; ///< of its caller's registers
    CodePlace place;
    std::uint32_t node = trace::kNoHostIndex;
  };
  struct Child {
    std::uint32_t parent = trace::kNoHostIndex, node = trace::kNoHostIndex;
    CodePlace place;
  };

  const Code &codeAt(std::uint64_t address);
  CodePlace placeIn(const CodeObject &object, std::uint64_t address);
  std::uint32_t nodeBelow(std::uint32_t parent, const CodePlace &place);
  /// Makes `walked_` the frames from `frame` outwards, up to the first of which `isKnown(frame)` is true; true if there was one.
  template <class Memory, class IsKnown> bool walk(StackFrame frame, const Memory &memory, IsKnown isKnown);
  /// Gives nodes to what was walked, from its outer end on, below `parent`. Returns the innermost one.
  std::uint32_t giveNodes(std::uint32_t parent);
  /// Below which the outermost function of what was walked stands.
  std::uint32_t root();

  PathTree &tree_;
  std::vector<Frame> path_;   ///< the last one, from the thread's first function inwards
  std::vector<Frame> walked_; ///< of the current one, from the innermost function outwards
  bool isCut_ = false;        ///< what was walked does not reach the thread's first function
  struct KnownObject {
    CodeObject object;
    std::uint32_t index; ///< in the tree
  };
  std::vector<KnownObject> objects_;
  // Of what was looked up, the latest at each place of a table.
  static constexpr std::size_t kKept = 1024;
  std::unique_ptr<std::array<Code, kKept>> codes_;
  std::unique_ptr<std::array<Child, kKept>> children_;
};

} // namespace cupr::host

#endif
