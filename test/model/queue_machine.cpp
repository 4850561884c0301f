#include "queue_memory.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace cupr::model {
namespace {

/// The finaliser of SplitMix64.
u64 mix(u64 value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
  value = (value ^ value >> 27) * 0x94d049bb133111eb;
  return value ^ value >> 31;
}

} // namespace

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
      waits_(abi::kWaitCounts), drops_(configuration.drops ? abi::kLaunchTags : 0),
      link_{published_, hostBins_, evictions_, evicted_, waits_.data(), drops_.data(), nullptr, &broken_},
      threads_(static_cast<unsigned>(plans_.size()), [this](unsigned self) { runThread(self); }) {
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
  traces_.assign(plans_.size(), trace);
  for (unsigned self = 0; self < plans_.size(); ++self) {
    traces_[self].launch = plans_[self].launch;
    threads_.resume(self);
  }
}

// Threads of the device.

void QueueMachine::runThread(unsigned self) {
  step(Kind::Start, 0);
  if (plans_[self].closes)
    runClose(self);
  else
    runWarp(self);
  state_.threads[self].isDone = true;
}

/// As device/hooks.cu.
void QueueMachine::runWarp(unsigned self) {
  const Plan &plan = plans_[self];
  const ModelMemory memory(*this);
  for (unsigned i = 0; i < plan.records.size(); ++i) {
    const unsigned bytes = plan.records[i] * abi::kWordBytes, record = plan.firstRecord + i;
    state_.threads[self].record = static_cast<std::uint8_t>(i);
    abi::BinWriter<ModelMemory> bin(traces_[self], plan.bin, memory);
    u64 position;
    if (configuration_.drops) {
      foldClaim(0);
      state_.threads[self].freed = 0;
      if (!bin.claimOrDrop(abi::OneLane(), bytes, record + 1, position))
        continue;
    } else {
      position = bin.claim(bytes);
      if (!bin.isReady(position, bytes))
        position = bin.makeReady(abi::OneLane(), position, bytes);
    }
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
  Thread &thread = state_.threads[running()];
  thread.pending = kind;
  thread.atomic = static_cast<std::uint8_t>(atomic);
  thread.argument = static_cast<std::uint16_t>(argument ^ argument >> 32 << 8);
  threads_.leave();
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
  if (atomic < ofBins ? owner != running() + 1 : owner && owner != running() + 1)
    fail(fmt::format("{} is used while another works at it", name(atomic)));
  return !configuration_.staleLoads;
}

void QueueMachine::fold(u64 value) {
  u64 &local = state_.threads[running()].local;
  local = mix(local ^ value);
}

/// A new record, or the next try with it.
void QueueMachine::foldClaim(u64 position) {
  Thread &thread = state_.threads[running()];
  thread.claimed = thread.base = thread.local = mix(u64{thread.record} << 32 | position);
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
    if (state_.dropped >> record & 1)
      fail(fmt::format("record {} comes, and was dropped", record));
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
            !((state_.delivered | state_.dropped) >> (warp.firstRecord + i) & 1))
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
    threads_.setRunning(copier());
    return hostMove(static_cast<HostMove>(move.choice % kHostMoves), move.choice / kHostMoves);
  }
  stale_ = move.choice != 0;
  threads_.resume(move.agent);
}

bool QueueMachine::isEnd() const {
  for (unsigned self = 0; self < plans_.size(); ++self)
    if (!state_.threads[self].isDone)
      return false;
  for (unsigned self = 0; self < plans_.size(); ++self)
    if (plans_[self].closes &&
        state_.host[plans_[self].bin].next * configuration_.pageWords + 1 < state_.threads[self].sealed)
      return false;
  unsigned records = 0;
  for (const Plan &plan : plans_)
    records += static_cast<unsigned>(plan.records.size());
  return (state_.delivered | state_.dropped) == (u64{1} << records) - 1;
}

void QueueMachine::save(std::vector<unsigned char> &bytes) const {
  bytes.resize(sizeof state_);
  std::memcpy(bytes.data(), &state_, sizeof state_);
  threads_.save(bytes);
}

std::size_t QueueMachine::identity(const std::vector<unsigned char> &bytes) const {
  return configuration_.identity == Identity::Stacks ? bytes.size() : sizeof state_;
}

void QueueMachine::restore(const std::vector<unsigned char> &bytes) {
  std::memcpy(&state_, bytes.data(), sizeof state_);
  threads_.restore(bytes.data() + sizeof state_);
}

void QueueMachine::note(std::string what) {
  if (!keepsLog())
    return;
  const std::string who = running() >= plans_.size() ? "the host"
                          : plans_[running()].closes
                              ? fmt::format("close of launch {}", plans_[running()].launch)
                              : fmt::format("warp {}, launch {}", running(), plans_[running()].launch);
  addToLog(fmt::format("{:<20} {}", who, what));
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
