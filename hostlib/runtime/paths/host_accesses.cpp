#include "host_accesses.h"

#include "devicelib/abi/host_access.h"
#include "devicelib/abi/thread_owned.h"
#include "hostlib/runtime/driver/in_runtime.h"
#include "thread_calls.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <new>
#include <pthread.h>
#include <sched.h>
#include <string>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>
#include <utility>

cupr::abi::WatchedMemory CUPR_VERSIONED(__cupr_watched_memory_v){0, 0};

namespace cupr::host {
namespace {

void setWatched(std::uint64_t begin, std::uint64_t bytes) {
  abi::WatchedMemory &watched = CUPR_VERSIONED(__cupr_watched_memory_v);
  // Who reads both in between finds an empty range, or one that is looked at again.
  __atomic_store_n(&watched.bytes, 0, __ATOMIC_RELEASE);
  __atomic_store_n(&watched.begin, begin, __ATOMIC_RELEASE);
  __atomic_store_n(&watched.bytes, bytes, __ATOMIC_RELEASE);
}

std::uint64_t threadInProcess() { return static_cast<std::uint64_t>(::pthread_self()); }

std::size_t mixed(std::uint64_t number) {
  number *= 0x9e3779b97f4a7c15ULL;
  return number >> 40;
}

/// Empty where it has ended.
std::string nameOfThread(std::uint32_t id) {
  std::string name;
  std::ifstream file("/proc/self/task/" + std::to_string(id) + "/comm");
  std::getline(file, name);
  return name;
}

} // namespace

std::atomic<HostAccesses *> HostAccesses::current_{nullptr};
std::atomic<bool> HostAccesses::areTold_{false};

/// A thread in a table. A signal's handler in the middle of that is turned away, and who would wait for one that does not return.
class HostAccesses::Held {
public:
  explicit Held(Table &table) : table_(table) {
    const std::uint64_t own = threadInProcess();
    std::uint64_t owner = 0;
    constexpr unsigned kMostTurns = 1u << 16;
    unsigned turns = 0;
    while (!table.owner.compare_exchange_weak(owner, own, std::memory_order_acquire)) {
      if (owner == own || turns == kMostTurns)
        return;
      if (owner != 0) {
        ++turns;
        ::sched_yield(); // it is about to leave
      }
      owner = 0;
    }
    isHeld_ = true;
  }
  ~Held() {
    if (isHeld_)
      table_.owner.store(0, std::memory_order_release);
  }
  Held(const Held &) = delete;
  Held &operator=(const Held &) = delete;
  explicit operator bool() const { return isHeld_; }

private:
  Table &table_;
  bool isHeld_ = false;
};

HostAccesses::HostAccesses(HostLog &log, const std::atomic<std::uint64_t> &order)
    : log_(log), order_(order), collected_(std::make_unique<Table>()), finder_(log.tree()) {
  void *const memory = ::mmap(nullptr, kTables * sizeof(Table), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    throw std::bad_alloc();
  tables_ = static_cast<Table *>(memory); // zeros are empty tables
}

HostAccesses::~HostAccesses() { ::munmap(tables_, kTables * sizeof(Table)); }

void HostAccesses::makeCurrent(HostAccesses *accesses) {
  current_.store(accesses, std::memory_order_release);
  setWatched(0, 0);
}

void HostAccesses::watch(std::uint64_t address, std::uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  watched_[address] = bytes;
  publish();
}

void HostAccesses::forget(std::uint64_t address) {
  const std::scoped_lock lock(mutex_);
  if (watched_.erase(address) != 0)
    publish();
}

void HostAccesses::publish() {
  auto ranges = std::make_unique<Ranges>();
  for (const auto &[address, bytes] : watched_)
    ranges->ranges.emplace_back(address, address + bytes);
  kept_.push_back(std::move(ranges));
  ranges_.store(kept_.back().get());
  if (lookers_.load() == 0) // whoever comes now looks at the new one
    kept_.erase(kept_.begin(), kept_.end() - 1);
  if (isOpen_)
    openLocked();
}

void HostAccesses::openLocked() {
  if (watched_.empty() || current() != this)
    return setWatched(0, 0);
  std::uint64_t end = 0;
  for (const auto &[address, bytes] : watched_)
    end = std::max(end, address + bytes);
  setWatched(watched_.begin()->first, end - watched_.begin()->first);
}

void HostAccesses::begun(std::uint64_t stream) {
  const std::scoped_lock lock(mutex_);
  if (std::exchange(isOpen_, true)) {
    if (onlyStream_ != stream)
      onlyStream_ = std::nullopt;
    return;
  }
  onlyStream_ = stream;
  openLocked();
}

void HostAccesses::waitedFor(std::uint64_t stream) {
  const std::scoped_lock lock(mutex_);
  if (onlyStream_ != stream)
    return;
  isOpen_ = false;
  setWatched(0, 0);
}

void HostAccesses::waitedForAll() {
  const std::scoped_lock lock(mutex_);
  isOpen_ = false;
  setWatched(0, 0);
}

std::optional<std::uint64_t> HostAccesses::allocationAt(std::uint64_t address, std::uint64_t bytes) const {
  struct Looking {
    explicit Looking(std::atomic<std::uint32_t> &lookers) : lookers(lookers) { ++lookers; }
    ~Looking() { --lookers; }
    std::atomic<std::uint32_t> &lookers;
  } const looking(lookers_);
  const Ranges *const known = ranges_.load();
  if (!known)
    return std::nullopt;
  const auto next =
      std::ranges::upper_bound(known->ranges, address, {}, [](const auto &range) { return range.second; });
  if (next == known->ranges.end() || (next->first > address && next->first - address >= bytes))
    return std::nullopt;
  return next->first;
}

void HostAccesses::note(const ToldAccess &access, const Registers &caller) noexcept {
  if (InRuntime::isOpen() || access.bytes == 0)
    return;
  if (const ThreadCalls *const calls = abi::ThreadOwned<ThreadCalls>::ifThere(); calls && calls->isInCall())
    return;
  const std::optional<std::uint64_t> allocation = allocationAt(access.address, access.bytes);
  if (!allocation)
    return;
  const bool isOfSource = access.place != 0;
  Key key{isOfSource ? access.place : caller.pc,
          threadInProcess(),
          *allocation,
          0,
          since_.load(),
          access.flags,
          isOfSource};
  key.after = order_.load(); // behind `since`, which does not exceed it, but where nothing is known
  if (key.since >= key.after)
    return;
  Table &table = tables_[mixed(key.thread) % kTables];
  if (const Held held(table); held)
    noteIn(table, key, access, caller);
}

/// It only grows.
void HostAccesses::mayKnowOf(std::uint64_t order) {
  std::uint64_t before = since_.load();
  while (before < order && !since_.compare_exchange_weak(before, order)) {
  }
}

/// Where the latest row of the key is noted, or will be.
std::uint32_t &HostAccesses::hintFor(Table &table, const Key &key) {
  constexpr std::size_t kLookedAt = 16;
  const std::size_t first = mixed(key.place ^ key.allocation ^ key.thread);
  for (std::size_t i = 0; i < kLookedAt; ++i) {
    std::uint32_t &hint = table.hints[(first + i) % kHints];
    if (hint == 0 || table.row[hint - 1].key == key)
      return hint;
  }
  return table.hints[first % kHints];
}

void HostAccesses::noteIn(Table &table, const Key &key, const ToldAccess &access, const Registers &caller) {
  std::uint32_t &hint = hintFor(table, key);
  Row *const before = hint != 0 && table.row[hint - 1].key == key ? &table.row[hint - 1] : nullptr;
  if (before && before->run.take(access.address, access.bytes))
    return;
  if (table.rows == kRows || (before && before->ofPlace == kMostOfPlace))
    return;
  Row &row = table.row[table.rows];
  row = {key, AccessRun(access.address, access.bytes), 0, kNone, 1};
  if (before) {
    row.threadId = before->threadId;
    row.stack = before->stack;
    row.ofPlace = before->ofPlace + 1;
  } else {
    row.threadId = static_cast<std::uint32_t>(::gettid());
    row.stack = keepStack(table, caller);
  }
  hint = ++table.rows;
  hasRows_.store(true, std::memory_order_relaxed);
}

/// Up to where there is no memory any more.
std::uint32_t HostAccesses::keepStack(Table &table, const Registers &caller) {
  constexpr std::uint64_t kPage = 4096;
  if (table.stacks == kStacks)
    return kNone;
  Stack &stack = table.stack[table.stacks];
  stack.registers = caller;
  std::array<iovec, kStackBytes / kPage + 1> pages{};
  std::size_t count = 0;
  std::uint64_t at = caller.sp;
  for (const std::uint64_t end = caller.sp + kStackBytes; at < end; ++count) {
    const std::uint64_t next = std::min(end, (at / kPage + 1) * kPage);
    pages[count] = {reinterpret_cast<void *>(at), next - at};
    at = next;
  }
  const iovec to{stack.copy.data(), stack.copy.size()};
  const int error = errno;
  const ssize_t copied = ::process_vm_readv(::getpid(), &to, 1, pages.data(), count, 0);
  errno = error;
  stack.bytes = copied > 0 ? static_cast<std::uint64_t>(copied) : 0;
  return table.stacks++;
}

void HostAccesses::collect() {
  if (!hasRows_.exchange(false, std::memory_order_relaxed))
    return;
  const std::scoped_lock lock(collecting_);
  trace::HostBatch batch;
  std::map<std::uint32_t, std::uint32_t> threads; // by the kernel's number
  Table &taken = *collected_;
  for (std::size_t i = 0; i < kTables; ++i) {
    {
      Table &table = tables_[i];
      const Held held(table);
      if (!held || table.rows == 0)
        continue;
      taken.rows = std::exchange(table.rows, 0);
      taken.stacks = std::exchange(table.stacks, 0);
      std::copy_n(table.row.begin(), taken.rows, taken.row.begin());
      for (std::size_t s = 0; s < taken.stacks; ++s) {
        taken.stack[s].registers = table.stack[s].registers;
        taken.stack[s].bytes = table.stack[s].bytes;
        std::copy_n(table.stack[s].copy.begin(), table.stack[s].bytes, taken.stack[s].copy.begin());
      }
      table.hints.fill(0);
    }
    std::array<std::uint32_t, kStacks> nodes{};
    for (std::size_t s = 0; s < taken.stacks; ++s) {
      const Stack &stack = taken.stack[s];
      nodes[s] = finder_.pathOf(stack.registers, /*isInterrupted=*/false,
                                CopiedStack(stack.registers.sp, stack.copy.data(), stack.bytes));
    }
    for (std::uint32_t r = 0; r < taken.rows; ++r) {
      const Row &row = taken.row[r];
      trace::HostAccess access;
      access.address = row.run.begin();
      access.bytes = row.run.bytes();
      access.stride = row.run.stride();
      access.elements = row.run.elements();
      access.times = row.run.times();
      access.after = row.key.after;
      access.since = row.key.since;
      const auto [thread, isNew] = threads.try_emplace(row.threadId, 0);
      if (isNew)
        thread->second = log_.numberOf({row.threadId, nameOfThread(row.threadId)});
      access.thread = thread->second;
      access.node = row.stack == kNone ? trace::kNoHostIndex : nodes[row.stack];
      access.place = row.key.isOfSource ? row.key.place : 0;
      access.writes = (row.key.flags & abi::kHostWrites) != 0;
      access.isStrong = (row.key.flags & abi::kHostStrong) != 0;
      batch.accesses.push_back(access);
    }
  }
  if (!batch.accesses.empty())
    log_.write(std::move(batch));
}

} // namespace cupr::host
