/// What a memory operation of the queue's device side (devicelib/abi/bin_writer.h) is in the model: a step of
/// the machine (queue_machine.h), with its faults.
#ifndef CUPR_MODEL_QUEUE_MEMORY_H
#define CUPR_MODEL_QUEUE_MEMORY_H

#include "queue_machine.h"

#include "devicelib/abi/bin_writer.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace cupr::model {

// What a word of a page holds: a part of a record, or a pad.
inline constexpr unsigned kPad = 0x8000, kSealPad = 0x4000, kUnordered = 0xffff, kWordsPerRecord = 8;
constexpr unsigned recordWord(unsigned record, unsigned index) {
  return 1 + record * kWordsPerRecord + index;
}

template <typename T> int indexIn(const T *array, std::size_t size, const void *address) {
  const auto offset =
      static_cast<const unsigned char *>(address) - reinterpret_cast<const unsigned char *>(array);
  return offset >= 0 && static_cast<std::size_t>(offset) < size * sizeof(T)
             ? static_cast<int>(offset / sizeof(T))
             : -1;
}

/// `Memory` of abi/bin_writer.h.
class ModelMemory {
public:
  explicit ModelMemory(QueueMachine &machine) : m_(machine) {}

  u64 add(u64 *address, u64 value) const {
    if (indexIn(m_.waits_.data(), m_.waits_.size(), address) >= 0) {
      countWait();
      return 0;
    }
    if (indexIn(m_.drops_.data(), m_.drops_.size(), address) >= 0) {
      countDrop(static_cast<unsigned>(value) - 1);
      return 0;
    }
    const unsigned atomic = find(address);
    if (m_.mutant_ == Mutant::ClaimInTwoSteps) {
      const u64 old = load(address);
      update(atomic, old + value, [&](u64) { return old + value; });
      return old;
    }
    const u64 position = update(atomic, value, [&](u64 old) { return old + value; });
    m_.foldClaim(position);
    return position;
  }
  u32 addBehind(u32 *address, u32 value) const {
    if (m_.mutant_ != Mutant::NoFenceBeforeCommit)
      m_.memory_.fence(m_.running());
    self().hasCounted = false;
    unsigned atomic = find(address);
    if (m_.mutant_ == Mutant::CommitsOfAllPagesSummed)
      atomic = m_.pageAtomic(indexOfState(address) / QueueMachine::kPagesPerBin * QueueMachine::kPagesPerBin,
                             QueueMachine::Committed);
    const u64 old = update(atomic, value, [&](u64 before) { return before + value; });
    self().last = last(QueueMachine::Last::Commit);
    const u64 seen = m_.mutant_ == Mutant::CommitsOfAllPagesSummed ? old % m_.pageBytes()
                     : m_.mutant_ == Mutant::PublishedEarly        ? old + 16
                                                                   : old;
    const bool isComplete = seen + value == m_.pageBytes();
    m_.fold(isComplete);
    self().base = self().local;
    std::uint8_t &completes = m_.state_.completes[indexOfState(address)];
    if (completes)
      m_.fail("a page is committed to while it is being published");
    if (isComplete)
      completes = static_cast<std::uint8_t>(m_.running() + 1);
    return static_cast<u32>(seen);
  }
  bool replace(u64 *address, u64 from, u64 to) const { return replaceAtomic(address, from, to); }
  bool replace(u32 *address, u32 from, u32 to) const { return replaceAtomic(address, from, to); }
  void raise(u64 *address, u64 value) const {
    if (m_.mutant_ == Mutant::LimitTooFar && indexIn(m_.bins_, m_.configuration_.bins, address) >= 0 &&
        isField(address, QueueMachine::Limit))
      value += m_.pageBytes();
    update(find(address), value, [&](u64 old) { return std::max(old, value); });
  }
  u64 load(const u64 *address) const {
    const u64 value = read(find(address), Order::Relaxed);
    if (!isField(address, QueueMachine::Limit))
      return value;
    self().last = last(QueueMachine::Last::Limit);
    return m_.mutant_ == Mutant::WaitLeftOut ? ~0ull : value;
  }
  u32 load(const u32 *address) const { return static_cast<u32>(read(find(address), Order::Relaxed)); }
  void store(u32 *address, u32 value) const {
    const unsigned atomic = find(address);
    const int state = indexIn(m_.states_, std::size(m_.states_), address);
    if (state < 0) { // the polling lock
      if (m_.mutant_ == Mutant::PollingForEver)
        return;
      write(atomic, value, Order::Relaxed);
      m_.state_.asks[indexIn(m_.bins_, std::size(m_.bins_), address)] = 0;
      return;
    } else if (atomic == m_.pageAtomic(static_cast<unsigned>(state), QueueMachine::Committed)) {
      if (m_.mutant_ == Mutant::CommitsKept || m_.mutant_ == Mutant::CommitsOfAllPagesSummed)
        return;
      if (m_.mutant_ == Mutant::CommitsSetBackLate) {
        self().resetLate = static_cast<std::uint8_t>(atomic + 1);
        return;
      }
    } else if (m_.mutant_ == (value ? Mutant::SealWithoutLength : Mutant::LengthKept)) {
      return;
    }
    write(atomic, value, Order::Relaxed);
  }
  void fence() const {
    const Mutant leftOut = self().last == QueueMachine::Last::Commit ? Mutant::NoFenceBehindCommit
                           : self().last == QueueMachine::Last::Host ? Mutant::NoFenceBeforeLimit
                                                                     : Mutant::None;
    self().last = QueueMachine::Last::Other;
    if (m_.mutant_ == Mutant::None || m_.mutant_ != leftOut)
      m_.memory_.fence(m_.running());
  }
  u64 loadHost(const u64 *address) const {
    const u64 value = read(find(address), Order::Ordered);
    const bool isRequest = (reinterpret_cast<const unsigned char *>(address) -
                            reinterpret_cast<const unsigned char *>(m_.hostBins_)) %
                               static_cast<long>(sizeof(abi::HostBin)) !=
                           0;
    if (!isRequest)
      sawFreed(value);
    if (!isRequest && m_.mutant_ == Mutant::DropUnasked && m_.configuration_.drops && !self().isSealing)
      return 0;
    if (!isRequest)
      self().last = last(QueueMachine::Last::Host);
    else if (m_.mutant_ == Mutant::NoEviction)
      return 0;
    else if (m_.mutant_ == Mutant::EvictedTooSoon)
      self().wanted = static_cast<std::uint8_t>(value);
    return value;
  }
  void storeHost(u64 *address, u64 value) const {
    const int page = indexIn(m_.published_, std::size(m_.published_), address);
    const bool isPublication = page >= 0;
    write(find(address), value,
          m_.mutant_ == Mutant::EvictionRelaxed && !isPublication ? Order::Relaxed : Order::Ordered);
    if (isPublication)
      m_.state_.completes[page] = 0;
    if (isPublication && self().resetLate) {
      const unsigned atomic = self().resetLate - 1u;
      self().resetLate = 0;
      m_.step(QueueMachine::Kind::Update, atomic);
      m_.memory_.store(m_.running(), atomic, 0, Order::Relaxed);
    }
  }
  /// Of a record, the value comes in `a`; pads come as they are.
  void storeWord(unsigned char *address, u32 a, u32 b, u32, u32) const {
    const bool isPad = abi::isPad(a);
    const unsigned value = !isPad ? a : kPad | (self().isSealing ? kSealPad : 0) | b;
    m_.writeWord(m_.running(), static_cast<unsigned>(indexIn(m_.pages_, sizeof m_.pages_, address)) / 16,
                 value);
    self().last = QueueMachine::Last::Other;
  }
  /// A page that the host has taken meanwhile may be written by others now: then nobody looks at the copy.
  void copyWord(unsigned char *to, const unsigned char *from) const {
    const auto source = static_cast<unsigned>(indexIn(m_.pages_, sizeof m_.pages_, from)) / 16;
    const auto place = static_cast<unsigned>(indexIn(m_.evictions_, sizeof m_.evictions_, to)) / 16;
    if (m_.mutant_ == Mutant::EvictedTooSoon && self().wanted) {
      const unsigned bin = place / m_.configuration_.pageWords;
      write(m_.binAtomic(bin, QueueMachine::EvictedToHost), self().wanted, Order::Ordered);
      self().wanted = 0;
    }
    // Each word a step of its own: others may write the page in between.
    m_.step(QueueMachine::Kind::Update,
            m_.pageAtomic(source / m_.configuration_.pageWords, QueueMachine::Published));
    const unsigned value =
        m_.memory_.knowsWrite(m_.running(), source) ? m_.state_.memory.words[source].value : kUnordered;
    const unsigned target = m_.placeWord(0) + place;
    m_.memory_.rewrite(m_.running(), target, value);
    m_.fold(source);
    m_.note(fmt::format("copies word {} to its place", source));
  }
  void pause(u32 &time) const {
    if (m_.configuration_.drops && !m_.state_.asks[m_.plans_[m_.running()].bin])
      m_.fail("a warp waits where it may drop its record");
    if (!m_.configuration_.drops && time == 0 && !self().hasCounted)
      m_.fail("a warp waits and has not counted it");
    self().hasCounted = false;
    time = 1; // the same each time, so that waiting comes back to a state that was there
    self().local = self().base;
    m_.fold(0);
  }

private:
  QueueMachine::Thread &self() const { return m_.state_.threads[m_.running()]; }
  QueueMachine::Last last(QueueMachine::Last value) const {
    return m_.mutant_ == Mutant::None ? QueueMachine::Last::Other : value;
  }

  unsigned indexOfState(const void *address) const {
    return static_cast<unsigned>(indexIn(m_.states_, std::size(m_.states_), address));
  }
  bool isField(const void *address, QueueMachine::Field field) const {
    const int bin = indexIn(m_.bins_, std::size(m_.bins_), address);
    return bin >= 0 && find(address) == m_.binAtomic(static_cast<unsigned>(bin), field);
  }
  unsigned find(const void *address) const {
    if (const int i = indexIn(m_.bins_, std::size(m_.bins_), address); i >= 0) {
      const abi::Bin &bin = m_.bins_[i];
      const QueueMachine::Field field = address == &bin.reserved  ? QueueMachine::Reserved
                                        : address == &bin.limit   ? QueueMachine::Limit
                                        : address == &bin.evicted ? QueueMachine::Evicted
                                                                  : QueueMachine::Polling;
      return m_.binAtomic(static_cast<unsigned>(i), field);
    }
    if (const int i = indexIn(m_.states_, std::size(m_.states_), address); i >= 0)
      return m_.pageAtomic(static_cast<unsigned>(i), address == &m_.states_[i].committed
                                                         ? QueueMachine::Committed
                                                         : QueueMachine::SealedAt);
    if (const int i = indexIn(m_.published_, std::size(m_.published_), address); i >= 0)
      return m_.pageAtomic(static_cast<unsigned>(i), QueueMachine::Published);
    if (const int i = indexIn(m_.hostBins_, std::size(m_.hostBins_), address); i >= 0)
      return m_.binAtomic(static_cast<unsigned>(i),
                          address == &m_.hostBins_[i].freed ? QueueMachine::Freed : QueueMachine::Evict);
    const int i = indexIn(m_.evicted_, std::size(m_.evicted_), address);
    if (i < 0)
      m_.fail("an atomic operation on an address that is none");
    return m_.binAtomic(static_cast<unsigned>(std::max(i, 0)), QueueMachine::EvictedToHost);
  }

  u64 read(unsigned atomic, Order order) const {
    if (!m_.isPrivate(atomic))
      m_.step(QueueMachine::Kind::Load, atomic);
    const u64 value = m_.memory_.load(m_.running(), atomic, order, m_.stale_);
    // The limit, the count of freed bytes and that of evictions decide only what is done next.
    const unsigned field = atomic % QueueMachine::kBinFields;
    const bool isOfBin = atomic < m_.configuration_.bins * QueueMachine::kBinFields;
    m_.fold(isOfBin && (field == QueueMachine::Limit || field == QueueMachine::Freed ||
                        field == QueueMachine::Evicted)
                ? atomic
                : atomic + (value << 8));
    if (m_.keepsLog())
      m_.note(fmt::format("reads {}{}: {}", m_.stale_ ? "an old " : "", m_.name(atomic), value));
    return value;
  }
  void write(unsigned atomic, u64 value, Order order) const {
    if (!m_.isPrivate(atomic))
      m_.step(QueueMachine::Kind::Update, atomic, value);
    m_.memory_.store(m_.running(), atomic, value, order);
    m_.fold(atomic);
    if (m_.keepsLog())
      m_.note(fmt::format("writes {}: {}", m_.name(atomic), value));
  }
  template <typename Change> u64 update(unsigned atomic, u64 argument, Change change) const {
    const bool isCommit = atomic >= m_.configuration_.bins * QueueMachine::kBinFields;
    if (isCommit || !m_.isPrivate(atomic))
      m_.step(QueueMachine::Kind::Update, atomic, argument);
    const u64 old = m_.memory_.value(atomic), value = change(old);
    m_.memory_.exchange(m_.running(), atomic, value);
    m_.fold(atomic);
    if (m_.keepsLog())
      m_.note(fmt::format("changes {}: {} to {}", m_.name(atomic), old, value));
    return old;
  }
  template <typename T> bool replaceAtomic(T *address, T from, T to) const {
    const unsigned atomic = find(address);
    m_.step(QueueMachine::Kind::Update, atomic, to);
    const u64 old = m_.memory_.value(atomic);
    const Mutant blind = !isField(address, QueueMachine::Reserved) ? Mutant::PollingTogether
                         : self().isSealing                        ? Mutant::SealBlind
                                                                   : Mutant::ClaimBlind;
    const bool done = old == from || m_.mutant_ == blind;
    if (done)
      m_.memory_.exchange(m_.running(), atomic, to);
    else
      m_.memory_.load(m_.running(), atomic, Order::Relaxed);
    m_.fold(2 * atomic + done);
    if (done && isField(address, QueueMachine::Reserved))
      m_.foldClaim(from);
    else if (done)
      m_.state_.asks[indexIn(m_.bins_, std::size(m_.bins_), address)] =
          static_cast<std::uint8_t>(m_.running() + 1);
    if (m_.keepsLog())
      m_.note(fmt::format("{} {}: {} to {}", done ? "changes" : "fails to change", m_.name(atomic), old, to));
    if (m_.mutant_ == Mutant::ClaimForgotten && blind == Mutant::ClaimBlind)
      return false;
    return done;
  }
  void sawFreed(u64 bytes) const {
    if (m_.configuration_.drops)
      self().freed = static_cast<std::uint8_t>(bytes / m_.pageBytes());
  }
  void countDrop(unsigned record) const {
    const QueueMachine::Plan &plan = m_.plans_[m_.running()];
    const u64 claimed = m_.memory_.value(m_.binAtomic(plan.bin, QueueMachine::Reserved));
    const u64 wanted = plan.records[self().record] * abi::kWordBytes;
    if (claimed + wanted <= (self().freed + QueueMachine::kPagesPerBin) * m_.pageBytes())
      m_.fail(fmt::format("record {} is dropped, and there is room", record));
    if (m_.mutant_ != Mutant::DropNotCounted)
      m_.state_.dropped |= 1u << record;
    m_.note(fmt::format("drops record {}", record));
  }
  void countWait() const {
    if (m_.mutant_ != Mutant::WaitNotCounted)
      self().hasCounted = true;
    const unsigned bin = m_.plans_[m_.running()].bin;
    if (m_.memory_.value(m_.binAtomic(bin, QueueMachine::Reserved)) <=
        QueueMachine::kPagesPerBin * m_.pageBytes())
      m_.fail("a wait is counted in a bin that was never full");
  }

  QueueMachine &m_;
};

} // namespace cupr::model

#endif
