#include "explorer.h"

#include <algorithm>
#include <limits>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace cupr::model {
namespace {

/// Numbers states in the order in which they are found. Open addressing: one array, doubled when half full.
class StateNumbers {
public:
  StateNumbers() : slots_(1u << 16) {}

  /// The number of the state, and whether it is new.
  std::pair<u32, bool> find(u64 hash) {
    if (2 * count_ >= slots_.size())
      grow();
    Slot &slot = place(hash);
    if (slot.number != kNone)
      return {slot.number, false};
    slot = {hash, static_cast<u32>(count_++)};
    return {slot.number, true};
  }

private:
  static constexpr u32 kNone = std::numeric_limits<u32>::max();
  struct Slot {
    u64 hash = 0;
    u32 number = kNone;
  };
  Slot &place(u64 hash) {
    std::size_t at = hash & (slots_.size() - 1);
    while (slots_[at].number != kNone && slots_[at].hash != hash)
      at = (at + 1) & (slots_.size() - 1);
    return slots_[at];
  }
  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot &slot : old)
      if (slot.number != kNone)
        place(slot.hash) = slot;
  }
  std::vector<Slot> slots_;
  std::size_t count_ = 0;
};

class Search {
public:
  Search(const Configuration &configuration, Mutant mutant, std::size_t bound)
      : configuration_(configuration), mutant_(mutant), bound_(bound), machine_(configuration, mutant) {}

  Exploration run() {
    machine_.save(bytes_);
    enter(number(), 0, {});
    while (depth_ && found_.error.empty() && cameFrom_.size() <= bound_)
      advance();
    if (found_.error.empty() && depth_ == 0) {
      found_.isComplete = true;
      checkReach();
    }
    found_.states = cameFrom_.size();
    return std::move(found_);
  }

private:
  struct Frame {
    u32 state;
    std::size_t next;
    std::vector<Move> moves;
    std::vector<unsigned char> bytes;
  };
  struct Step {
    u32 from;
    Move move;
  };
  struct Edge {
    u32 from, to;
  };

  std::pair<u32, bool> number() {
    return numbers_.find(XXH3_64bits(bytes_.data(), machine_.identity(bytes_)));
  }

  void enter(std::pair<u32, bool> state, u32 from, Move move) {
    cameFrom_.push_back({from, move});
    if (depth_ == frames_.size())
      frames_.emplace_back();
    Frame &frame = frames_[depth_++];
    frame.state = state.first;
    frame.next = 0;
    frame.moves = machine_.moves();
    frame.bytes.swap(bytes_);
    if (!frame.moves.empty())
      return;
    if (machine_.isEnd()) {
      ends_.push_back(state.first);
      ++found_.ends;
    } else {
      fail("nobody can go on, and records are missing", state.first, nullptr);
    }
  }

  void advance() {
    Frame &frame = frames_[depth_ - 1];
    if (frame.next == frame.moves.size()) {
      --depth_;
      return;
    }
    const Move move = frame.moves[frame.next++];
    const u32 from = frame.state;
    machine_.restore(frame.bytes);
    machine_.apply(move);
    ++found_.steps;
    if (!machine_.error().empty())
      return fail(machine_.error(), from, &move);
    machine_.save(bytes_);
    const auto state = number();
    edges_.push_back({from, state.first});
    if (state.second) {
      const u64 shared = XXH3_64bits(bytes_.data(), QueueMachine::sharedBytes());
      if (configuration_.comparesIdentities && shared_.find(shared).second) {
        ++found_.sharedStates;
        found_.sharedSum += shared;
      }
      enter(state, from, move);
    }
  }

  /// Goes back from the ends.
  void checkReach() {
    std::vector<std::size_t> first(cameFrom_.size() + 1);
    for (const Edge &edge : edges_)
      ++first[edge.to + 1];
    for (std::size_t i = 1; i < first.size(); ++i)
      first[i] += first[i - 1];
    std::vector<u32> sources(edges_.size());
    std::vector<std::size_t> at(first.begin(), first.end() - 1);
    for (const Edge &edge : edges_)
      sources[at[edge.to]++] = edge.from;
    std::vector<bool> reaches(cameFrom_.size());
    std::vector<u32> left = ends_;
    for (const u32 end : ends_)
      reaches[end] = true;
    while (!left.empty()) {
      const u32 state = left.back();
      left.pop_back();
      for (std::size_t i = first[state]; i < first[state + 1]; ++i)
        if (!reaches[sources[i]]) {
          reaches[sources[i]] = true;
          left.push_back(sources[i]);
        }
    }
    const auto stuck = std::find(reaches.begin(), reaches.end(), false);
    if (stuck != reaches.end())
      fail("no way leads from here to the end", static_cast<u32>(stuck - reaches.begin()), nullptr);
  }

  void fail(const std::string &error, u32 state, const Move *last) {
    found_.error = error;
    std::vector<Move> moves;
    if (last)
      moves.push_back(*last);
    for (; state; state = cameFrom_[state].from)
      moves.push_back(cameFrom_[state].move);
    QueueMachine again(configuration_, mutant_);
    again.keepLog();
    for (auto move = moves.rbegin(); move != moves.rend(); ++move)
      again.apply(*move);
    found_.way = again.log();
  }

  const Configuration &configuration_;
  const Mutant mutant_;
  const std::size_t bound_;
  QueueMachine machine_;
  StateNumbers numbers_, shared_;
  std::vector<Step> cameFrom_; ///< by state
  std::vector<Edge> edges_;
  std::vector<u32> ends_;
  std::vector<Frame> frames_; ///< kept for their memory
  std::size_t depth_ = 0;
  std::vector<unsigned char> bytes_; ///< of the present state
  Exploration found_;
};

} // namespace

Exploration explore(const Configuration &configuration, Mutant mutant, std::size_t bound) {
  return Search(configuration, mutant, bound).run();
}

} // namespace cupr::model
