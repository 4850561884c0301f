/// Visits every state that a machine can come to, depth first.
///
/// `Machine` is a MachineReport, and has a Configuration and Mutants (`None` is none), moves() that can be made in its present state, apply(Move), isEnd(),
/// and a state that is saved to bytes and restored from them (queue_machine.h).
///
/// A state that was there before is not entered again; states are told apart by a 64-bit hash of all
/// their bytes, so that among ten million there is one chance in 10^5 that one is overlooked.
///
/// Beside what the machine itself finds wrong: a state without moves must be the end, and from each state the
/// end must be within reach. The latter is what fair scheduling needs: no warp or host waits for ever.
#ifndef CUPR_MODEL_EXPLORER_H
#define CUPR_MODEL_EXPLORER_H

#include "weak_memory.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace cupr::model {

/// One step, of one agent.
struct Move {
  std::uint8_t agent, choice;
};

/// What a machine says of itself.
class MachineReport {
public:
  /// What is wrong in the present state; empty: nothing.
  const std::string &error() const { return error_; }
  /// From now on each move leaves a line.
  void keepLog() { keepsLog_ = true; }
  const std::vector<std::string> &log() const { return log_; }

protected:
  void fail(std::string what) {
    if (error_.empty())
      error_ = std::move(what);
  }
  bool keepsLog() const { return keepsLog_; }
  void addToLog(std::string line) { log_.push_back(std::move(line)); }

private:
  std::string error_;
  bool keepsLog_ = false;
  std::vector<std::string> log_;
};

struct Exploration {
  std::size_t states = 0, steps = 0, ends = 0;
  /// What memory and the host can look like: how many ways, and a sum that tells two such sets apart.
  std::size_t sharedStates = 0;
  u64 sharedSum = 0;
  bool isComplete = false;      ///< every state was visited: neither an error nor the bound came before
  std::string error;            ///< the first one; empty: none
  std::vector<std::string> way; ///< from the beginning to the error, a line per step
};

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

template <typename Machine> class Search {
  using Configuration = typename Machine::Configuration;
  using Mutant = typename Machine::Mutant;

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
      fail("nobody can go on, and it is not the end", state.first, nullptr);
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
      if constexpr (requires { Machine::sharedBytes(); }) {
        const u64 shared = XXH3_64bits(bytes_.data(), Machine::sharedBytes());
        if (configuration_.comparesIdentities && shared_.find(shared).second) {
          ++found_.sharedStates;
          found_.sharedSum += shared;
        }
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
    Machine again(configuration_, mutant_);
    again.keepLog();
    for (auto move = moves.rbegin(); move != moves.rend(); ++move)
      again.apply(*move);
    found_.way = again.log();
  }

  const Configuration &configuration_;
  const Mutant mutant_;
  const std::size_t bound_;
  Machine machine_;
  StateNumbers numbers_, shared_;
  std::vector<Step> cameFrom_; ///< by state
  std::vector<Edge> edges_;
  std::vector<u32> ends_;
  std::vector<Frame> frames_; ///< kept for their memory
  std::size_t depth_ = 0;
  std::vector<unsigned char> bytes_; ///< of the present state
  Exploration found_;
};

/// `bound`: states after which it gives up.
template <typename Machine>
Exploration explore(const typename Machine::Configuration &configuration, typename Machine::Mutant mutant,
                    std::size_t bound) {
  return Search<Machine>(configuration, mutant, bound).run();
}

} // namespace cupr::model

#endif
