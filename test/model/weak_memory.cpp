#include "weak_memory.h"

namespace cupr::model {
namespace {

constexpr View kAll = ~View{0};
constexpr View bit(unsigned number) { return View{1} << number; }

} // namespace

WeakMemory::WeakMemory(MemoryState &state, unsigned atomics, unsigned agents, bool allowStale)
    : state_(state), atomics_(atomics), agents_(agents), allowStale_(allowStale) {
  for (unsigned i = 0; i < atomics; ++i)
    state.atomics[i].view = state.atomics[i].viewBefore = kAll;
  for (unsigned i = 0; i < agents; ++i)
    state.agents[i] = {kAll, kAll, kAll};
  state.mutex = kAll;
}

void WeakMemory::forget(unsigned number, unsigned agent) {
  const View others = ~bit(number);
  for (unsigned i = 0; i < atomics_; ++i) {
    state_.atomics[i].view &= others;
    state_.atomics[i].viewBefore &= others;
  }
  for (unsigned i = 0; i < agents_; ++i) {
    state_.agents[i].known &= others;
    state_.agents[i].acquired &= others;
    state_.agents[i].released &= others;
  }
  state_.mutex &= others;
  state_.agents[agent].known |= bit(number);
  state_.agents[agent].acquired |= bit(number);
}

bool WeakMemory::maybeStale(unsigned agent, unsigned atomic) const {
  return allowStale_ && !(state_.agents[agent].known >> atomic & 1) &&
         state_.atomics[atomic].before != state_.atomics[atomic].value;
}

u64 WeakMemory::load(unsigned agent, unsigned atomic, Order order, bool stale) {
  MemoryState::Agent &reader = state_.agents[agent];
  const MemoryState::Atomic &source = state_.atomics[atomic];
  const View carried = stale ? source.viewBefore : source.view;
  reader.acquired |= carried;
  if (order == Order::Ordered)
    reader.known |= carried;
  if (!stale) {
    reader.known |= bit(atomic);
    reader.acquired |= bit(atomic);
  }
  return stale ? source.before : source.value;
}

void WeakMemory::announce(unsigned agent, unsigned atomic, u64 value, View view) {
  MemoryState::Atomic &target = state_.atomics[atomic];
  if (allowStale_) {
    target.before = target.value;
    target.viewBefore = target.view;
    forget(atomic, agent);
    view |= bit(atomic);
  }
  target.value = value;
  target.view = view;
}

void WeakMemory::store(unsigned agent, unsigned atomic, u64 value, Order order) {
  const MemoryState::Agent &writer = state_.agents[agent];
  announce(agent, atomic, value, order == Order::Ordered ? writer.known : writer.released);
}

void WeakMemory::exchange(unsigned agent, unsigned atomic, u64 value) {
  MemoryState::Agent &writer = state_.agents[agent];
  const View carried = state_.atomics[atomic].view;
  writer.acquired |= carried;
  announce(agent, atomic, value, carried | writer.released);
}

void WeakMemory::fence(unsigned agent) {
  MemoryState::Agent &self = state_.agents[agent];
  self.known = self.released = self.acquired;
}

void WeakMemory::lock(unsigned agent) {
  state_.agents[agent].known |= state_.mutex;
  state_.agents[agent].acquired |= state_.mutex;
}

void WeakMemory::unlock(unsigned agent) { state_.mutex |= state_.agents[agent].known; }

void WeakMemory::follow(unsigned agent, unsigned earlier) {
  MemoryState::Agent &self = state_.agents[agent];
  self.acquired |= state_.agents[earlier].acquired;
  fence(agent);
}

bool WeakMemory::mayWrite(unsigned agent, unsigned word) const {
  const View needed = bit(writeBit(word)) | bit(readBit(word));
  return (state_.agents[agent].acquired & needed) == needed;
}

bool WeakMemory::mayWriteAsInCpp(unsigned agent, unsigned word) const {
  const View needed = bit(writeBit(word)) | bit(readBit(word));
  return (state_.agents[agent].known & needed) == needed;
}

void WeakMemory::write(unsigned agent, unsigned word, unsigned value) {
  forget(writeBit(word), agent);
  state_.words[word].value = static_cast<std::uint16_t>(value);
}

void WeakMemory::rewrite(unsigned agent, unsigned word, unsigned value) {
  if (state_.words[word].value != value)
    return write(agent, word, value);
  state_.agents[agent].known |= bit(writeBit(word));
  state_.agents[agent].acquired |= bit(writeBit(word));
}

} // namespace cupr::model
