#include "queue_machine.h"

#include "devicelib/abi/bin_writer.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace cupr::model {
namespace {

// What a word of a page holds: a part of a record, or a pad.
constexpr unsigned kPad = 0x8000, kSealPad = 0x4000, kUnordered = 0xffff, kWordsPerRecord = 8;
constexpr unsigned recordWord(unsigned record, unsigned index) {
  return 1 + record * kWordsPerRecord + index;
}

/// The finaliser of SplitMix64.
u64 mix(u64 value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
  value = (value ^ value >> 27) * 0x94d049bb133111eb;
  return value ^ value >> 31;
}

template <typename T> int indexIn(const T *array, std::size_t size, const void *address) {
  const auto offset =
      static_cast<const unsigned char *>(address) - reinterpret_cast<const unsigned char *>(array);
  return offset >= 0 && static_cast<std::size_t>(offset) < size * sizeof(T)
             ? static_cast<int>(offset / sizeof(T))
             : -1;
}

} // namespace

/// `Memory` of abi/bin_writer.h.
class ModelMemory {
public:
  explicit ModelMemory(QueueMachine &machine) : m_(machine) {}

  u64 add(u64 *address, u64 value) const {
    if (indexIn(m_.waits_.data(), m_.waits_.size(), address) >= 0) {
      countWait();
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
  u32 add(u32 *address, u32 value) const {
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
      completes = static_cast<std::uint8_t>(m_.running_ + 1);
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
    const Mutant leftOut = self().last == QueueMachine::Last::Commit  ? Mutant::NoFenceBehindCommit
                           : self().last == QueueMachine::Last::Host  ? Mutant::NoFenceBeforeLimit
                           : self().last == QueueMachine::Last::Other ? Mutant::NoFenceBeforeCommit
                                                                      : Mutant::None;
    self().last = QueueMachine::Last::Other;
    if (m_.mutant_ == Mutant::None || m_.mutant_ != leftOut)
      m_.memory_.fence(m_.running_);
  }
  u64 loadHost(const u64 *address) const {
    const u64 value = read(find(address), Order::Ordered);
    const bool isRequest = (reinterpret_cast<const unsigned char *>(address) -
                            reinterpret_cast<const unsigned char *>(m_.hostBins_)) %
                               static_cast<long>(sizeof(abi::HostBin)) !=
                           0;
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
      m_.memory_.store(m_.running_, atomic, 0, Order::Relaxed);
    }
  }
  /// Of a record, the value comes in `a`; pads come as they are.
  void storeWord(unsigned char *address, u32 a, u32 b, u32, u32) const {
    const bool isPad = a == static_cast<u32>(abi::RecordForm::Pad) << abi::kSiteBits;
    const unsigned value = !isPad ? a : kPad | (self().isSealing ? kSealPad : 0) | b;
    m_.writeWord(m_.running_, static_cast<unsigned>(indexIn(m_.pages_, sizeof m_.pages_, address)) / 16,
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
        m_.memory_.knowsWrite(m_.running_, source) ? m_.state_.memory.words[source].value : kUnordered;
    const unsigned target = m_.placeWord(0) + place;
    m_.memory_.rewrite(m_.running_, target, value);
    m_.fold(source);
    m_.note(fmt::format("copies word {} to its place", source));
  }
  void pause(u32 &time) const {
    if (time == 0 && !self().hasCounted)
      m_.fail("a warp waits and has not counted it");
    self().hasCounted = false;
    time = 1; // the same each time, so that waiting comes back to a state that was there
    self().local = self().base;
    m_.fold(0);
  }

private:
  QueueMachine::Thread &self() const { return m_.state_.threads[m_.running_]; }
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
    const u64 value = m_.memory_.load(m_.running_, atomic, order, m_.stale_);
    // The limit, the count of freed bytes and that of evictions decide only what is done next.
    const unsigned field = atomic % QueueMachine::kBinFields;
    const bool isOfBin = atomic < m_.configuration_.bins * QueueMachine::kBinFields;
    m_.fold(isOfBin && (field == QueueMachine::Limit || field == QueueMachine::Freed ||
                        field == QueueMachine::Evicted)
                ? atomic
                : atomic + (value << 8));
    if (m_.keepsLog_)
      m_.note(fmt::format("reads {}{}: {}", m_.stale_ ? "an old " : "", m_.name(atomic), value));
    return value;
  }
  void write(unsigned atomic, u64 value, Order order) const {
    if (!m_.isPrivate(atomic))
      m_.step(QueueMachine::Kind::Update, atomic, value);
    m_.memory_.store(m_.running_, atomic, value, order);
    m_.fold(atomic);
    if (m_.keepsLog_)
      m_.note(fmt::format("writes {}: {}", m_.name(atomic), value));
  }
  template <typename Change> u64 update(unsigned atomic, u64 argument, Change change) const {
    const bool isCommit = atomic >= m_.configuration_.bins * QueueMachine::kBinFields;
    if (isCommit || !m_.isPrivate(atomic))
      m_.step(QueueMachine::Kind::Update, atomic, argument);
    const u64 old = m_.memory_.value(atomic), value = change(old);
    m_.memory_.exchange(m_.running_, atomic, value);
    m_.fold(atomic);
    if (m_.keepsLog_)
      m_.note(fmt::format("changes {}: {} to {}", m_.name(atomic), old, value));
    return old;
  }
  template <typename T> bool replaceAtomic(T *address, T from, T to) const {
    const unsigned atomic = find(address);
    m_.step(QueueMachine::Kind::Update, atomic, to);
    const u64 old = m_.memory_.value(atomic);
    const Mutant blind =
        isField(address, QueueMachine::Reserved) ? Mutant::SealBlind : Mutant::PollingTogether;
    const bool done = old == from || m_.mutant_ == blind;
    if (done)
      m_.memory_.exchange(m_.running_, atomic, to);
    else
      m_.memory_.load(m_.running_, atomic, Order::Relaxed);
    m_.fold(2 * atomic + done);
    if (done && isField(address, QueueMachine::Reserved))
      m_.foldClaim(from);
    else if (done)
      m_.state_.asks[indexIn(m_.bins_, std::size(m_.bins_), address)] =
          static_cast<std::uint8_t>(m_.running_ + 1);
    if (m_.keepsLog_)
      m_.note(fmt::format("{} {}: {} to {}", done ? "changes" : "fails to change", m_.name(atomic), old, to));
    return done;
  }
  void countWait() const {
    if (m_.mutant_ != Mutant::WaitNotCounted)
      self().hasCounted = true;
    const unsigned bin = m_.plans_[m_.running_].bin;
    if (m_.memory_.value(m_.binAtomic(bin, QueueMachine::Reserved)) <=
        QueueMachine::kPagesPerBin * m_.pageBytes())
      m_.fail("a wait is counted in a bin that was never full");
  }

  QueueMachine &m_;
};

QueueMachine::QueueMachine(const Configuration &configuration, Mutant mutant)
    : configuration_(configuration), mutant_(mutant), plans_([&] {
        std::vector<Plan> plans;
        unsigned record = 0;
        for (const Warp &warp : configuration.warps) {
          plans.push_back({false, warp.launch, warp.bin, record, warp.records});
          record += static_cast<unsigned>(warp.records.size());
        }
        // The threads of each launch's close kernel.
        std::vector<unsigned> launches;
        for (const Warp &warp : configuration.warps)
          if (std::find(launches.begin(), launches.end(), warp.launch) == launches.end())
            launches.push_back(warp.launch);
        for (const unsigned launch : launches)
          for (unsigned bin = 0; bin < configuration.bins; ++bin)
            plans.push_back({true, launch, bin, 0, {}});
        return plans;
      }()),
      state_{}, memory_(state_.memory, configuration.bins * (kBinFields + kPagesPerBin * kPageFields),
                        static_cast<unsigned>(plans_.size()) + 2, configuration.staleLoads),
      waits_(abi::kWaitCounts), link_{published_, hostBins_, evictions_, evicted_, waits_.data()},
      stacks_(std::size_t{64} << 10, kMaxThreads) {
  if (plans_.size() > kMaxThreads)
    fail("too many threads");
  for (unsigned bin = 0; bin < configuration_.bins; ++bin)
    memory_.initialise(binAtomic(bin, Limit), kPagesPerBin * pageBytes());
  Trace trace{};
  trace.bins = bins_;
  trace.states = states_;
  trace.pages = pages_;
  trace.link = &link_;
  trace.binMask = configuration_.bins - 1;
  trace.pagesPerBinLog2 = 1;
  trace.pageBytesLog2 = static_cast<std::uint16_t>(__builtin_ctz(pageBytes()));
  fibers_.resize(plans_.size());
  traces_.assign(plans_.size(), trace);
  for (unsigned self = 0; self < plans_.size(); ++self) {
    traces_[self].launch = plans_[self].launch;
    Fiber &fiber = fibers_[self];
    fiber.machine = this;
    fiber.self = self;
    fiber.top = stacks_.take();
    fiber.pointer = cpu::makeFiber(fiber.top, startFiber, &fiber);
    resume(self);
  }
}

// Threads of the device.

void QueueMachine::startFiber(void *argument) {
  Fiber &fiber = *static_cast<Fiber *>(argument);
  QueueMachine &machine = *fiber.machine;
  machine.step(Kind::Start, 0);
  if (machine.plans_[fiber.self].closes)
    machine.runClose(fiber.self);
  else
    machine.runWarp(fiber.self);
  machine.state_.threads[fiber.self].isDone = true;
  cpu::cuprCpuSwitch(&fiber.pointer, machine.explorer_);
  __builtin_unreachable();
}

/// As device/hooks.cu.
void QueueMachine::runWarp(unsigned self) {
  const Plan &plan = plans_[self];
  const ModelMemory memory(*this);
  for (unsigned i = 0; i < plan.records.size(); ++i) {
    const unsigned bytes = plan.records[i] * abi::kWordBytes, record = plan.firstRecord + i;
    state_.threads[self].record = static_cast<std::uint8_t>(i);
    abi::BinWriter<ModelMemory> bin(traces_[self], plan.bin, memory);
    u64 position = bin.claim(bytes);
    if (!bin.isReady(position, bytes))
      position = bin.makeReady(position, bytes);
    state_.position[record] = static_cast<std::uint8_t>(position / abi::kWordBytes + 1);
    for (unsigned word = 0; word < plan.records[i]; ++word)
      memory.storeWord(bin.address(position) + word * abi::kWordBytes, recordWord(record, word), 0, 0, 0);
    bin.commit(position, bytes);
  }
}

/// As device/close.cu, one thread of it.
void QueueMachine::runClose(unsigned self) {
  Thread &thread = state_.threads[self];
  for (unsigned other = 0; other < plans_.size(); ++other)
    if (!plans_[other].closes && plans_[other].launch == plans_[self].launch)
      memory_.follow(self, other);
  thread.isSealing = true;
  const u64 position =
      abi::BinWriter<ModelMemory>(traces_[self], plans_[self].bin, ModelMemory(*this)).seal() /
      abi::kWordBytes;
  for (const Plan &plan : plans_)
    for (unsigned i = 0; i < plan.records.size(); ++i)
      if (plan.launch == plans_[self].launch && plan.bin == plans_[self].bin &&
          position + 1 < state_.position[plan.firstRecord + i] + plan.records[i])
        fail(fmt::format("a seal returns {}, and record {} lies behind it", position, plan.firstRecord + i));
  thread.sealed = static_cast<std::uint16_t>(position + 1);
  checkEnded(plans_[self].bin);
}

/// The running thread stops in front of its next operation.
void QueueMachine::step(Kind kind, unsigned atomic, u64 argument) {
  Thread &thread = state_.threads[running_];
  thread.pending = kind;
  thread.atomic = static_cast<std::uint8_t>(atomic);
  thread.argument = static_cast<std::uint16_t>(argument ^ argument >> 32 << 8);
  cpu::cuprCpuSwitch(&fibers_[running_].pointer, explorer_);
}

/// Two things are not shared while somebody works at them, so that what is done with them is no step: the
/// state of a page, but for commits, which are in `add`; and the count of evictions, for those who hold the
/// polling lock. If another comes between that is an error, whichever comes first.
bool QueueMachine::isPrivate(unsigned atomic) {
  const unsigned ofBins = configuration_.bins * kBinFields;
  if (atomic < ofBins && atomic % kBinFields != Evicted)
    return false;
  if (atomic >= ofBins && (atomic - ofBins) % kPageFields == Published)
    return false;
  const unsigned owner =
      atomic < ofBins ? state_.asks[atomic / kBinFields] : state_.completes[(atomic - ofBins) / kPageFields];
  if (atomic < ofBins ? owner != running_ + 1 : owner && owner != running_ + 1)
    fail(fmt::format("{} is used while another works at it", name(atomic)));
  return !configuration_.staleLoads;
}

void QueueMachine::fold(u64 value) {
  u64 &local = state_.threads[running_].local;
  local = mix(local ^ value);
}

/// A new record, or the next try with it.
void QueueMachine::foldClaim(u64 position) {
  Thread &thread = state_.threads[running_];
  thread.claimed = thread.base = thread.local = mix(u64{thread.record} << 32 | position);
}

void QueueMachine::resume(unsigned thread) {
  running_ = thread;
  cpu::cuprCpuSwitch(&explorer_, fibers_[thread].pointer);
}

bool QueueMachine::mayStart(unsigned thread) const {
  if (!plans_[thread].closes)
    return true;
  for (unsigned other = 0; other < plans_.size(); ++other)
    if (!plans_[other].closes && plans_[other].launch == plans_[thread].launch &&
        !state_.threads[other].isDone)
      return false;
  return true;
}

void QueueMachine::writeWord(unsigned self, unsigned word, unsigned value) {
  MemoryState::Word &target = state_.memory.words[word];
  if (target.isPending)
    fail(fmt::format("word {} is written again before the host has taken it", word));
  if (!memory_.mayWrite(self, word))
    fail(fmt::format("word {} is written, unordered with an earlier writing or the host's reading", word));
  memory_.write(self, word, value);
  target.isPending = 1;
  // How it came to its space does not matter any more.
  Thread &thread = state_.threads[self];
  thread.local = thread.claimed;
  fold(u64{word} << 32 | value);
  thread.base = thread.local;
}

// The host.

u64 QueueMachine::publication(unsigned bin, unsigned page) const {
  const u64 word = memory_.value(pageAtomic(slot(bin, page), Published));
  return word >> 32 == page + 1 ? word & 0xffffffffu : 0;
}

bool QueueMachine::isEnabled(HostMove move, unsigned bin) const {
  const HostSide &host = state_.host[bin];
  switch (move) {
  case BeginCopy:
    return host.copies < kPagesPerBin && publication(bin, std::max(host.issued, host.next));
  case EndCopy: {
    if (host.copies == 0)
      return false;
    for (unsigned self = 0; configuration_.copies == Copies::Stuck && self < plans_.size(); ++self)
      if (!state_.threads[self].isDone)
        return false;
    return true;
  }
  case Look:
    return configuration_.evictions && !host.looked && !host.isTaking && publication(bin, host.next) &&
           memory_.value(binAtomic(bin, EvictedToHost)) == host.asked &&
           // Asked already, and nobody has come: another look would show nothing new.
           !(host.asked == host.next + 1 && memory_.value(binAtomic(bin, EvictedToHost)) != host.next + 1u);
  case Ask:
    return host.looked && memory_.value(binAtomic(bin, EvictedToHost)) != host.looked;
  case BeginTake:
    return (mutant_ != Mutant::NoBlockForEvictions || host.copies < kPagesPerBin) && host.looked &&
           memory_.value(binAtomic(bin, EvictedToHost)) == host.looked;
  case EndTake:
    return host.isTaking;
  default:
    return false;
  }
}

void QueueMachine::hostMove(HostMove move, unsigned bin) {
  HostSide &host = state_.host[bin];
  const auto order = [&](Mutant relaxed) { return mutant_ == relaxed ? Order::Relaxed : Order::Ordered; };
  switch (move) {
  case BeginCopy: {
    memory_.lock(copier());
    host.issued = std::max(host.issued, host.next);
    memory_.unlock(copier());
    const u64 word = memory_.load(copier(), pageAtomic(slot(bin, host.issued), Published),
                                  order(Mutant::PublicationReadRelaxed));
    Content &copy = host.copy[host.copies++];
    copy = {};
    copy.page = host.issued;
    copy.words = static_cast<std::uint8_t>((word & 0xffffffffu) / abi::kWordBytes);
    for (unsigned i = 0; i < copy.words; ++i) {
      const unsigned at = pageWord(bin, copy.page) + i;
      copy.word[i] = memory_.knowsWrite(copier(), at) ? state_.memory.words[at].value : kUnordered;
    }
    ++host.issued;
    note(fmt::format("begins to copy page {}", copy.page));
    if (mutant_ == Mutant::FreedBeforeCopied)
      memory_.store(copier(), binAtomic(bin, Freed), u64{host.issued} * pageBytes(), Order::Ordered);
    break;
  }
  case EndCopy: {
    const Content copy = host.copy[0];
    std::move(host.copy + 1, host.copy + kPagesPerBin, host.copy);
    host.copy[kPagesPerBin - 1] = {};
    --host.copies;
    note(fmt::format("has copied page {}", copy.page));
    take(copier(), bin, copy);
    break;
  }
  case Look:
    memory_.lock(evictor());
    host.looked = static_cast<std::uint8_t>(host.next + 1);
    memory_.unlock(evictor());
    note(fmt::format("thinks of an eviction of page {}", host.next));
    break;
  case Ask:
    // The page may have been taken since, even written anew: then what is evicted is of no use, and dropped.
    memory_.load(evictor(), pageAtomic(slot(bin, host.looked - 1u), Published), Order::Ordered);
    memory_.load(evictor(), binAtomic(bin, EvictedToHost), Order::Ordered);
    if (publication(bin, host.looked - 1u) && host.asked != host.looked) {
      host.asked = host.looked;
      note(fmt::format("asks for page {}", host.looked - 1));
      memory_.store(evictor(), binAtomic(bin, Evict), host.looked, Order::Ordered);
    }
    host.looked = 0;
    break;
  case BeginTake: {
    const u64 word =
        memory_.load(evictor(), pageAtomic(slot(bin, host.looked - 1u), Published), Order::Ordered);
    memory_.load(evictor(), binAtomic(bin, EvictedToHost), order(Mutant::EvictionReadRelaxed));
    if (publication(bin, host.looked - 1u)) {
      host.evicted = {};
      host.evicted.page = static_cast<std::uint8_t>(host.looked - 1);
      host.evicted.words = static_cast<std::uint8_t>((word & 0xffffffffu) / abi::kWordBytes);
      for (unsigned i = 0; i < host.evicted.words; ++i) {
        const unsigned at = placeWord(bin) + i;
        host.evicted.word[i] = memory_.knowsWrite(evictor(), at) ? state_.memory.words[at].value : kUnordered;
      }
      host.isTaking = 1;
      note(fmt::format("begins to take page {} from its place", host.looked - 1));
    }
    host.looked = 0;
    break;
  }
  case EndTake: {
    const Content content = host.evicted;
    host.evicted = {};
    host.isTaking = 0;
    // It was read in between: the place must have stayed as it was, if the page is of use.
    for (unsigned i = 0; i < content.words; ++i)
      if (host.next == content.page && state_.memory.words[placeWord(bin) + i].value != content.word[i])
        fail(fmt::format("the place of evictions is written while the host takes page {}", content.page));
    note(fmt::format("has page {} from its place", content.page));
    take(evictor(), bin, content);
    break;
  }
  default:
    break;
  }
}

/// PageSource::take.
void QueueMachine::take(unsigned agent, unsigned bin, const Content &content) {
  HostSide &host = state_.host[bin];
  if (mutant_ != Mutant::TakenTwice && host.next != content.page)
    return;
  memory_.lock(agent);
  for (unsigned i = 0; i < content.words; ++i) {
    const unsigned at = pageWord(bin, content.page) + i;
    if (content.word[i] == kUnordered)
      fail(fmt::format("word {} of page {} is read, unordered with its writing", i, content.page));
    else if (content.word[i] != state_.memory.words[at].value)
      fail(fmt::format("word {} of page {} is taken as {:#x}, and is {:#x}", i, content.page, content.word[i],
                       state_.memory.words[at].value));
    if (agent == copier())
      memory_.read(agent, at);
  }
  for (unsigned i = 0; i < configuration_.pageWords; ++i)
    state_.memory.words[pageWord(bin, content.page) + i].isPending = 0;
  deliver(bin, content);
  host.next = static_cast<std::uint8_t>(content.page + 1);
  memory_.store(agent, binAtomic(bin, Freed), u64{host.next} * pageBytes(),
                mutant_ == Mutant::FreedRelaxed ? Order::Relaxed : Order::Ordered);
  memory_.unlock(agent);
  checkEnded(bin);
}

void QueueMachine::deliver(unsigned bin, const Content &content) {
  for (unsigned at = 0; at < content.words;) {
    const unsigned word = content.word[at];
    if (word & kPad && word != kUnordered) {
      if (word & kSealPad)
        return fail(fmt::format("page {} comes with the pad of its seal", content.page));
      at += std::max(1u, word & (kSealPad - 1));
      continue;
    }
    const unsigned record = (word - 1) / kWordsPerRecord;
    const auto plan = std::find_if(plans_.begin(), plans_.end(), [&](const Plan &candidate) {
      return !candidate.closes && record >= candidate.firstRecord &&
             record < candidate.firstRecord + candidate.records.size();
    });
    if (word == 0 || plan == plans_.end() || plan->bin != bin)
      return fail(fmt::format("word {} of page {} is no record", at, content.page));
    const unsigned words = plan->records[record - plan->firstRecord];
    for (unsigned i = 0; i < words; ++i)
      if (at + i >= content.words || content.word[at + i] != recordWord(record, i))
        return fail(fmt::format("record {} in page {} is not whole", record, content.page));
    if (state_.position[record] != content.page * configuration_.pageWords + at + 1)
      fail(fmt::format("record {} lies elsewhere than it was reserved", record));
    if (state_.delivered >> record & 1)
      fail(fmt::format("record {} comes twice", record));
    state_.delivered |= 1u << record;
    at += words;
  }
}

/// A launch has ended in a bin when all below the position of its seal has been taken.
void QueueMachine::checkEnded(unsigned bin) {
  for (unsigned self = 0; self < plans_.size(); ++self) {
    const unsigned sealed = state_.threads[self].sealed;
    if (!plans_[self].closes || plans_[self].bin != bin || !sealed ||
        state_.host[bin].next * configuration_.pageWords < sealed - 1)
      continue;
    for (const Plan &warp : plans_)
      for (unsigned i = 0; i < warp.records.size(); ++i)
        if (warp.launch == plans_[self].launch && warp.bin == bin &&
            !(state_.delivered >> (warp.firstRecord + i) & 1))
          fail(fmt::format("launch {} has ended and record {} of it has not come", warp.launch,
                           warp.firstRecord + i));
  }
}

// For the explorer.

std::vector<Move> QueueMachine::moves() const {
  std::vector<Move> moves;
  for (unsigned self = 0; self < plans_.size(); ++self) {
    const Thread &thread = state_.threads[self];
    if (thread.isDone || (thread.pending == Kind::Start && !mayStart(self)))
      continue;
    moves.push_back({static_cast<std::uint8_t>(self), 0});
    if (thread.pending == Kind::Load && memory_.maybeStale(self, thread.atomic))
      moves.push_back({static_cast<std::uint8_t>(self), 1});
  }
  for (unsigned bin = 0; bin < configuration_.bins; ++bin)
    for (unsigned move = 0; move < kHostMoves; ++move)
      if (isEnabled(static_cast<HostMove>(move), bin))
        moves.push_back(
            {static_cast<std::uint8_t>(copier()), static_cast<std::uint8_t>(bin * kHostMoves + move)});
  return moves;
}

void QueueMachine::apply(Move move) {
  if (move.agent == copier()) {
    running_ = copier();
    return hostMove(static_cast<HostMove>(move.choice % kHostMoves), move.choice / kHostMoves);
  }
  stale_ = move.choice != 0;
  resume(move.agent);
}

bool QueueMachine::isEnd() const {
  for (unsigned self = 0; self < plans_.size(); ++self)
    if (!state_.threads[self].isDone)
      return false;
  unsigned records = 0;
  for (const Plan &plan : plans_)
    records += static_cast<unsigned>(plan.records.size());
  return state_.delivered == (u64{1} << records) - 1;
}

void QueueMachine::save(std::vector<unsigned char> &bytes) const {
  bytes.resize(sizeof state_);
  std::memcpy(bytes.data(), &state_, sizeof state_);
  for (const Fiber &fiber : fibers_) {
    const auto *const from = static_cast<const unsigned char *>(fiber.pointer);
    const auto size = static_cast<std::uint16_t>(state_.threads[fiber.self].isDone ? 0 : fiber.top - from);
    const auto *const sizeBytes = reinterpret_cast<const unsigned char *>(&size);
    bytes.insert(bytes.end(), sizeBytes, sizeBytes + sizeof size);
    bytes.insert(bytes.end(), from, from + size);
  }
}

std::size_t QueueMachine::identity(const std::vector<unsigned char> &bytes) const {
  return configuration_.identity == Identity::Stacks ? bytes.size() : sizeof state_;
}

void QueueMachine::restore(const std::vector<unsigned char> &bytes) {
  std::memcpy(&state_, bytes.data(), sizeof state_);
  const unsigned char *at = bytes.data() + sizeof state_;
  for (Fiber &fiber : fibers_) {
    std::uint16_t size;
    std::memcpy(&size, at, sizeof size);
    fiber.pointer = fiber.top - size;
    std::memcpy(fiber.pointer, at + sizeof size, size);
    at += sizeof size + size;
  }
}

void QueueMachine::fail(std::string what) {
  if (error_.empty())
    error_ = std::move(what);
}

void QueueMachine::note(std::string what) {
  if (!keepsLog_)
    return;
  const std::string who = running_ >= plans_.size() ? "the host"
                          : plans_[running_].closes
                              ? fmt::format("close of launch {}", plans_[running_].launch)
                              : fmt::format("warp {}, launch {}", running_, plans_[running_].launch);
  log_.push_back(fmt::format("{:<20} {}", who, what));
}

std::string QueueMachine::name(unsigned atomic) const {
  static const char *const bin[] = {"reserved", "limit", "evicted",        "polling",
                                    "freed",    "evict", "evicted to host"};
  static const char *const page[] = {"committed", "sealedAt", "published"};
  if (atomic < configuration_.bins * kBinFields)
    return fmt::format("{}[{}]", bin[atomic % kBinFields], atomic / kBinFields);
  atomic -= configuration_.bins * kBinFields;
  return fmt::format("{}[{}]", page[atomic % kPageFields], atomic / kPageFields);
}

} // namespace cupr::model
