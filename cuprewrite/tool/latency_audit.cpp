#include "latency_audit.h"

#include "cuprewrite/commandline/words.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

namespace cupr::tool {
namespace {

using abi::IntervalWait;
using Kind = MachineInstruction::Kind;
using Code = std::vector<MachineInstruction>;
using Place = std::size_t; ///< of an instruction in its function

std::optional<std::uint32_t> numberOf(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

/// The first place from `from` to before `to` for which that holds; `to`: there is none.
template <typename Holds> Place find(const Code &code, Place from, Place to, Holds holds) {
  while (from < to && !holds(code[from]))
    ++from;
  return from;
}
bool isClock(const MachineInstruction &instruction) { return instruction.kind == Kind::Clock; }

/// One interval's places in a function.
class Interval {
public:
  /// `end`: of the comparison in front of its second clock.
  Interval(const Code &code, std::uint32_t number, Place end) : code_(code) {
    second_ = find(code, end, code.size(), isClock);
    Place begin = end;
    while (begin > 0 &&
           !(code[begin - 1].kind == Kind::Compare && code[begin - 1].immediate == abi::beginMark(number)))
      --begin;
    hasBegin_ = begin > 0;
    first_ = find(code, begin, end,
                  [](const MachineInstruction &one) { return isClock(one) && one.isPredicated; });
    if (first_ == end)
      first_ = find(code, begin, second_, isClock);
    next_ = find(code, first_ + 1, second_, isClock);
  }

  /// Why it does not hold what is measured; empty: it does.
  std::string obstacle(IntervalWait wait) const {
    if (second_ == code_.size())
      return "no second clock is read behind it";
    if (!hasBegin_ || first_ >= second_)
      return "no first clock is read in front of it";
    if (wait == IntervalWait::Copies)
      return copyObstacle();
    bool isThere = false;
    for (Place at = first_ + 1; at < next_; ++at) {
      const Kind kind = code_[at].kind;
      if (kind == Kind::Fence && isThere)
        break; // what is behind are registers that are stored for want of them
      const bool isAccess = kind == Kind::Load || (kind == Kind::Store && wait != IntervalWait::Value) ||
                            (kind == Kind::Copy && wait == IntervalWait::Nothing);
      if (!isAccess)
        continue;
      isThere = true;
      if (kind == Kind::Load && wait != IntervalWait::Nothing && !isAwaited(at))
        return "the second clock is read before the access is over";
      if (wait == IntervalWait::Fence || wait == IntervalWait::Both)
        if (std::string reason = fenceObstacle(at); !reason.empty())
          return reason;
    }
    return isThere ? "" : kNotThere;
  }

private:
  static constexpr const char *kNotThere = "the access is not between its clocks";

  /// Whether something waits for what the instruction sets, up to the second clock.
  bool isAwaited(Place place) const {
    const std::uint8_t sets = code_[place].sets;
    return sets != 0 &&
           std::any_of(code_.begin() + static_cast<std::ptrdiff_t>(place) + 1,
                       code_.begin() + static_cast<std::ptrdiff_t>(second_) + 1,
                       [&](const MachineInstruction &one) { return (one.waits & sets) == sets; });
  }

  std::string copyObstacle() const {
    const auto isA = [](Kind kind) {
      return [kind](const MachineInstruction &one) { return one.kind == kind; };
    };
    const Place copy = find(code_, first_ + 1, next_, isA(Kind::Copy));
    if (copy == next_)
      return kNotThere;
    const Place group = find(code_, copy + 1, second_, isA(Kind::CopyGroup)); // that it is in
    return group != second_ && isAwaited(group) ? "" : "the second clock is read before the copy is over";
  }

  std::string fenceObstacle(Place access) const {
    const Place fence = find(code_, access + 1, second_,
                             [](const MachineInstruction &one) { return one.kind == Kind::Fence; });
    if (fence == second_)
      return "no fence stands between the access and the second clock";
    return code_[fence].sets == 0 || isAwaited(fence) ? ""
                                                      : "the second clock is read before the fence is over";
  }

  const Code &code_;
  Place first_ = 0, second_ = 0;
  Place next_ = 0; ///< of the next clock behind the first: other accesses are behind it
  bool hasBegin_ = false;
};

} // namespace

std::vector<TimedInterval> readIntervals(std::string_view list) {
  std::vector<TimedInterval> intervals;
  for (const std::string &line : commandline::splitAt(std::string(list), '\n')) {
    const std::vector<std::string> parts = commandline::splitAt(line, '\t');
    if (parts.size() != 3)
      continue;
    const auto number = numberOf(parts[0]), wait = numberOf(parts[1]);
    if (number && wait && *wait < abi::kIntervalWaits)
      intervals.push_back({*number, static_cast<IntervalWait>(*wait), parts[2]});
  }
  return intervals;
}

std::vector<RefusedInterval> auditIntervals(const std::vector<TimedInterval> &intervals,
                                            const std::vector<std::vector<MachineInstruction>> &functions) {
  std::map<std::uint32_t, const TimedInterval *> byNumber;
  for (const TimedInterval &interval : intervals)
    byNumber[interval.number] = &interval;
  std::map<std::uint32_t, std::string> obstacles; // of those that are there; empty: none
  for (const Code &code : functions)
    for (Place at = 0; at < code.size(); ++at) {
      const std::uint32_t mark = code[at].immediate, number = abi::intervalOf(mark);
      if (code[at].kind != Kind::Compare || mark != abi::endMark(number) || !byNumber.contains(number))
        continue;
      std::string &obstacle = obstacles[number];
      if (obstacle.empty())
        obstacle = Interval(code, number, at).obstacle(byNumber.at(number)->wait);
    }
  std::vector<RefusedInterval> refused;
  for (const TimedInterval &interval : intervals) {
    const auto found = obstacles.find(interval.number);
    if (found == obstacles.end())
      refused.push_back({interval, "its clocks are not found in the machine code"});
    else if (!found->second.empty())
      refused.push_back({interval, found->second});
  }
  return refused;
}

} // namespace cupr::tool
