#include "path_finder.h"

#include <algorithm>

namespace cupr::host {
namespace {

std::size_t mix(std::uint64_t number) {
  number *= 0x9e3779b97f4a7c15ULL;
  return number >> 40;
}

constexpr CodePlace kCutPlace{trace::kNoHostIndex, 0, trace::HostNodeKind::Cut};

} // namespace

PathFinder::PathFinder(PathTree &tree)
    : tree_(tree), codes_(std::make_unique<std::array<Code, kKept>>()),
      children_(std::make_unique<std::array<Child, kKept>>()) {}

CodePlace PathFinder::placeIn(const CodeObject &object, std::uint64_t address) {
  auto known = std::ranges::find(objects_, object, &KnownObject::object);
  if (known == objects_.end())
    known = objects_.insert(known, {object, tree_.indexOf(object)});
  return {known->index, address - object.bias, trace::HostNodeKind::Frame};
}

const PathFinder::Code &PathFinder::codeAt(std::uint64_t address) {
  Code &code = (*codes_)[mix(address) % kKept];
  const CodeObject object = codeObjectAt(address);
  if (code.address == address && code.object == object)
    return code;
  code = {address,
          object,
          unwindRecipe(address, object),
          {trace::kNoHostIndex, address, trace::HostNodeKind::UnknownCode}};
  if (object.end != 0) {
    code.place = placeIn(object, address);
    if (code.recipe.kind == UnwindRecipe::Kind::Unknown)
      code.place.kind = trace::HostNodeKind::UnknownCode;
    else if (code.recipe.kind == UnwindRecipe::Kind::Signal)
      code.place.kind = trace::HostNodeKind::SignalFrame;
  }
  return code;
}

std::uint32_t PathFinder::nodeBelow(std::uint32_t parent, const CodePlace &place) {
  Child &child = (*children_)[mix(place.offset + (std::uint64_t{parent} << 40) + parent) % kKept];
  if (child.node == trace::kNoHostIndex || child.parent != parent || child.place != place)
    child = {parent, tree_.childOf(parent, place), place};
  return child.node;
}

template <class Memory, class IsKnown>
bool PathFinder::walk(StackFrame frame, const Memory &memory, IsKnown isKnown) {
  walked_.clear();
  isCut_ = true;
  while (walked_.size() < kFramesMax) {
    if (isKnown(frame))
      return true;
    const Code &code = codeAt(frame.codeAddress());
    Frame &walked = walked_.emplace_back(Frame{frame, {}, code.place});
    if (code.recipe.kind == UnwindRecipe::Kind::Outermost) {
      isCut_ = false;
      return false;
    }
    // Nothing says how such a frame is left. What a frame pointer leads to is believed if it is code that something is said of.
    const bool isLeft = code.recipe.kind == UnwindRecipe::Kind::Unknown
                            ? stepOutByFramePointer(frame, memory) &&
                                  codeAt(frame.codeAddress()).recipe.kind != UnwindRecipe::Kind::Unknown
                            : stepOut(frame, code.recipe, memory, &walked.slots);
    if (!isLeft)
      return false;
    if (frame.at.pc == 0) { // what the first function of a thread of its own kind returns to
      isCut_ = false;
      return false;
    }
  }
  return false;
}

std::uint32_t PathFinder::root() {
  return isCut_ ? nodeBelow(trace::kNoHostIndex, kCutPlace) : trace::kNoHostIndex;
}

std::uint32_t PathFinder::giveNodes(std::uint32_t parent) {
  for (std::size_t i = walked_.size(); i-- > 0;)
    parent = walked_[i].node = nodeBelow(parent, walked_[i].place);
  return parent;
}

std::uint32_t PathFinder::pathOf(const Registers &innermost) {
  const OwnStack memory(innermost.sp);
  // Of the last path's frames, those that the current one may meet: the outermost so many.
  std::size_t candidates = path_.size();
  const auto isKnown = [&](const StackFrame &frame) {
    while (candidates > 0 && path_[candidates - 1].frame.at.sp < frame.at.sp)
      --candidates;
    if (candidates == 0 || !(path_[candidates - 1].frame == frame))
      return false;
    for (std::size_t i = candidates - 1; i > 0; --i) {
      const StackSlots &slots = path_[i].slots;
      const Registers &caller = path_[i - 1].frame.at;
      if (slots.pc == 0 || OwnStack::direct(slots.pc) != caller.pc ||
          (slots.bp != 0 && OwnStack::direct(slots.bp) != caller.bp)) {
        candidates = i; // whatever leads through here does not hold
        return false;
      }
    }
    return true;
  };
  const bool isJoined = walk({innermost}, memory, isKnown);
  path_.resize(isJoined ? candidates : 0);
  const std::uint32_t node = giveNodes(isJoined ? path_.back().node : root());
  for (std::size_t i = walked_.size(); i-- > 0;) {
    StackSlots &slots = walked_[i].slots;
    if (!memory.isDirect(slots.pc) || (slots.bp != 0 && !memory.isDirect(slots.bp)))
      slots = {};
    path_.push_back(walked_[i]);
  }
  return node;
}

std::uint32_t PathFinder::pathOf(const Registers &innermost, bool isInterrupted, const CopiedStack &memory) {
  walk({innermost, isInterrupted}, memory, [](const StackFrame &) { return false; });
  return giveNodes(root());
}

} // namespace cupr::host
