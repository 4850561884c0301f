/// The writer's hot path: each record is looked at once and copied once.
#include "gather.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace cupr::trace {

namespace {

/// Buffers are of two sizes: this for launches of a few records, and a whole chunk.
constexpr std::uint32_t kSmallWords = 1024;

} // namespace

BufferPool::Buffer BufferPool::get(std::size_t words) {
  Buffer buffer;
  const bool small = words <= kSmallWords;
  if (!small) {
    std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      buffer = std::move(free_.back());
      free_.pop_back();
      return buffer;
    }
  }
  buffer.capacity = small ? kSmallWords : kChunkWords;
  buffer.words.reset(new Word[buffer.capacity]); // not zeroed
  bytes_.fetch_add(buffer.capacity * sizeof(Word), std::memory_order_relaxed);
  return buffer;
}

void BufferPool::put(Buffer buffer) noexcept {
  if (buffer.capacity == kChunkWords && !isFull()) {
    std::lock_guard lock(mutex_);
    try {
      free_.push_back(std::move(buffer));
      return;
    } catch (...) { // no memory for the list: let it go
    }
  }
  bytes_.fetch_sub(buffer.capacity * sizeof(Word), std::memory_order_relaxed);
}

Gather::~Gather() {
  for (const auto &[number, lane] : lanes_)
    pool_.put(std::move(lane->buffer));
}

Gather::Lane &Gather::lane(std::uint32_t number) {
  std::lock_guard lock(lanesMutex_);
  auto &lane = lanes_[number];
  if (!lane)
    lane = std::make_unique<Lane>();
  return *lane;
}

void Gather::hand(std::uint32_t number, Lane &lane, Sink &sink) {
  if (lane.records == 0)
    return;
  const LaneShare share{number, lane.records};
  sink.batch({{lane.buffer.words.get(), lane.words}, lane.records, {&share, 1}});
  lane.words = lane.records = 0;
}

/// Makes room for a record of `length` words, the first of `coming` words; these may be fewer, since short
/// records are made whole.
void Gather::makeRoom(std::uint32_t number, Lane &lane, std::size_t length, std::size_t coming, Sink &sink) {
  if (lane.words + length > kChunkWords)
    hand(number, lane, sink);
  if (lane.words + length <= lane.buffer.capacity)
    return;
  BufferPool::Buffer bigger = pool_.get(lane.words + std::max(length, coming));
  std::copy_n(lane.buffer.words.get(), lane.words, bigger.words.get());
  pool_.put(std::exchange(lane.buffer, std::move(bigger)));
}

std::size_t Gather::take(std::uint32_t number, const Word *words, std::size_t count, std::uint64_t tag,
                         RunCount &run, Sink &sink) {
  Lane &to = lane(number);
  std::lock_guard lock(to.mutex);
  const Word *const end = words + count;
  const auto copy = [&](const abi::RecordHead &head, const Word *record, std::size_t length) {
    if (to.words + length > to.buffer.capacity) [[unlikely]]
      makeRoom(number, to, length, static_cast<std::size_t>(end - record), sink);
    copyRecord(head, record, length, to.buffer.words.get() + to.words);
    to.words += static_cast<std::uint32_t>(length);
    ++to.records;
  };
  const std::size_t taken = run.scan(words, count, tag, copy);
  if (pool_.isFull()) {
    hand(number, to, sink);
    pool_.put(std::exchange(to.buffer, {}));
  }
  return taken;
}

void Gather::flush(Sink &sink) {
  std::lock_guard lock(lanesMutex_);
  std::vector<LaneShare> shares;
  BufferPool::Buffer rest;
  std::uint32_t words = 0, records = 0;
  const auto give = [&] {
    if (records != 0)
      sink.batch({{rest.words.get(), words}, records, shares});
    shares.clear();
    words = records = 0;
  };
  for (const auto &[number, lane] : lanes_) {
    std::lock_guard laneLock(lane->mutex);
    if (lane->records == 0)
      continue;
    if (words + lane->words > kChunkWords)
      give();
    if (lane->words > kChunkWords / 2) { // a chunk by itself
      give();
      hand(number, *lane, sink);
    } else {
      if (!rest.words)
        rest = pool_.get(kChunkWords);
      std::memcpy(static_cast<void *>(rest.words.get() + words), lane->buffer.words.get(),
                  lane->words * sizeof(Word));
      words += lane->words;
      records += lane->records;
      shares.push_back({number, lane->records});
      lane->words = lane->records = 0;
    }
    pool_.put(std::exchange(lane->buffer, {}));
  }
  give();
  pool_.put(std::move(rest));
}

} // namespace cupr::trace
