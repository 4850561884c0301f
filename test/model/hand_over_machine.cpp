#include "hand_over_machine.h"

#include <array>
#include <cstring>
#include <fmt/format.h>
#include <utility>

namespace cupr::model {

HandOverMachine::HandOverMachine(const Configuration &configuration, Mutant mutant)
    : configuration_(configuration), mutant_(mutant),
      memory_(state_.memory, kAtomics, kAgents, configuration.staleLoads),
      threads_(kAgents, [this](unsigned self) { runThread(self); }) {
  active_ = this;
  for (unsigned self = 0; self < kAgents; ++self)
    threads_.resume(self);
}

// What RowRing takes for its counts and rows.

HandOverMachine::Count::Count(u64 value) : atomic_(active_->countsMade_++) {
  active_->memory_.initialise(atomic_, value);
}

u64 HandOverMachine::Count::load(std::memory_order order) const {
  HandOverMachine &machine = *active_;
  const bool isRoom =
      machine.threads_.running() == Pusher && order == std::memory_order_acquire && atomic_ == Collected;
  if (isRoom && machine.mutant_ == Mutant::RoomNotAsked)
    return machine.memory_.value(Published);
  machine.step(Kind::Load, atomic_);
  Order how = machine.ordered(order);
  if (isRoom ? machine.mutant_ == Mutant::RoomReadRelaxed
             : atomic_ == Published && machine.mutant_ == Mutant::PublicationReadRelaxed)
    how = Order::Relaxed;
  const u64 value = machine.memory_.load(machine.threads_.running(), atomic_, how, machine.stale_);
  machine.note(fmt::format("reads {} {}", value, atomic_ == Published ? "published" : "collected"));
  return value;
}

void HandOverMachine::Count::store(u64 value, std::memory_order order) {
  HandOverMachine &machine = *active_;
  machine.step(Kind::Store, atomic_);
  Order how = machine.ordered(order);
  if (machine.mutant_ == (atomic_ == Published ? Mutant::PublishedRelaxed : Mutant::CollectedRelaxed))
    how = Order::Relaxed;
  machine.note(fmt::format("says {} {}", value, atomic_ == Published ? "published" : "collected"));
  machine.memory_.store(machine.threads_.running(), atomic_, value, how);
  if (const unsigned row = machine.state_.unwritten; row != 0 && machine.threads_.running() == Pusher) {
    machine.step(Kind::Write);
    machine.state_.unwritten = 0;
    machine.writeRow(row - 1, machine.state_.unwrittenValue);
  }
}

HandOverMachine::Row::Row() : number_(active_->rowsMade_++) {}

HandOverMachine::Row &HandOverMachine::Row::operator=(const Row &row) {
  HandOverMachine &machine = *active_;
  if (machine.mutant_ == Mutant::PublishedEarly) {
    machine.state_.unwritten = static_cast<std::uint8_t>(number_ + 1);
    machine.state_.unwrittenValue = static_cast<std::uint8_t>(row.number_);
  } else {
    machine.writeRow(number_, row.number_);
  }
  return *this;
}

// The threads.

void HandOverMachine::runThread(unsigned self) {
  if (self == Pusher) {
    Ring ring(configuration_.room);
    ring_ = &ring;
    step(Kind::Start);
    push();
    state_.threads[self].isDone = true;
    // The circle must stay.
    step(Kind::Start);
    return;
  }
  step(Kind::Start);
  if (self == End) {
    memory_.follow(End, Pusher);
    memory_.follow(End, Collector);
  }
  for (unsigned round = 0; round < (self == End ? 1 : configuration_.rounds); ++round)
    collect();
  state_.threads[self].isDone = true;
}

/// As HostLog::push.
void HandOverMachine::push() {
  for (unsigned value = 1; value <= configuration_.rows; ++value) {
    if (ring_->push(Row(value)))
      continue;
    collect();
    if (!ring_->push(Row(value)))
      fail("there is no room behind collecting");
  }
}

/// As HostLog::collect.
void HandOverMachine::collect() {
  const bool locks = mutant_ != Mutant::CollectedTogether;
  const unsigned self = threads_.running();
  if (locks) {
    step(Kind::Lock);
    state_.locked = 1;
    memory_.lock(self);
  }
  std::array<unsigned, 2 * kMostRoom> taken{};
  unsigned count = 0;
  ring_->collect([&](const Row &row) {
    if (mutant_ != Mutant::CollectedEarly)
      readRow(row.number());
    else if (count < taken.size())
      taken[count++] = row.number();
  });
  for (unsigned i = 0; i < count; ++i) {
    step(Kind::Read);
    readRow(taken[i]);
  }
  if (locks) {
    memory_.unlock(self);
    state_.locked = 0;
  }
}

void HandOverMachine::writeRow(unsigned row, unsigned value) {
  if (!memory_.mayWriteAsInCpp(threads_.running(), row))
    fail(fmt::format("row {} is written, unordered with its last use", row));
  memory_.write(threads_.running(), row, value);
  note(fmt::format("writes row {}", row));
}

void HandOverMachine::readRow(unsigned row) {
  if (!memory_.knowsWrite(threads_.running(), row))
    fail(fmt::format("row {} is read, unordered with its writing", row));
  note(fmt::format("reads row {}", row));
  memory_.read(threads_.running(), row);
  const unsigned value = state_.memory.words[row].value;
  if (value != state_.delivered + 1u)
    fail(fmt::format("{} comes behind {}", value, state_.delivered));
  state_.delivered = static_cast<std::uint8_t>(value);
}

/// The running thread stops in front of its next operation.
void HandOverMachine::step(Kind kind, unsigned atomic) {
  Thread &thread = state_.threads[threads_.running()];
  thread.pending = kind;
  thread.atomic = static_cast<std::uint8_t>(atomic);
  threads_.leave();
}

Order HandOverMachine::ordered(std::memory_order order) const {
  return order == std::memory_order_relaxed ? Order::Relaxed : Order::Ordered;
}

// For the explorer.

std::vector<Move> HandOverMachine::moves() const {
  std::vector<Move> moves;
  for (std::uint8_t self = 0; self < kAgents; ++self) {
    const Thread &thread = state_.threads[self];
    const bool waits = (thread.pending == Kind::Lock && state_.locked) ||
                       (self == End && thread.pending == Kind::Start &&
                        !(state_.threads[Pusher].isDone && state_.threads[Collector].isDone));
    if (thread.isDone || waits)
      continue;
    moves.push_back({self, 0});
    if (thread.pending == Kind::Load && memory_.maybeStale(self, thread.atomic))
      moves.push_back({self, 1});
  }
  return moves;
}

void HandOverMachine::apply(Move move) {
  active_ = this;
  stale_ = move.choice != 0;
  threads_.resume(move.agent);
}

bool HandOverMachine::isEnd() const {
  return state_.threads[End].isDone && state_.delivered == configuration_.rows;
}

void HandOverMachine::save(std::vector<unsigned char> &bytes) const {
  bytes.resize(sizeof state_);
  std::memcpy(bytes.data(), &state_, sizeof state_);
  threads_.save(bytes);
}

void HandOverMachine::restore(const std::vector<unsigned char> &bytes) {
  std::memcpy(&state_, bytes.data(), sizeof state_);
  threads_.restore(bytes.data() + sizeof state_);
}

void HandOverMachine::note(std::string what) {
  static const char *const names[] = {"the thread", "the collector", "the log's end"};
  if (keepsLog())
    addToLog(fmt::format("{:<14} {}{}", names[threads_.running()], what, stale_ ? " (an old value)" : ""));
}

} // namespace cupr::model
