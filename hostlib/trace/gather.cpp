/// The writer's hot path: each record is looked at once and copied once.
#include "gather.h"

#include <algorithm>
#include <cassert>
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
  for (const auto &[number, channel] : channels_)
    release(*channel);
}

/// Gives the channel's memory back. What is in it is gone.
void Gather::release(Channel &channel) {
  pool_.put(std::exchange(channel.buffer, {}));
  pool_.count(-static_cast<std::ptrdiff_t>(channel.values.capacity() * sizeof(Word)));
  channel.values = {};
}

void Gather::addValue(Channel &channel, const Word *words, std::size_t length) {
  const std::size_t before = channel.values.capacity();
  channel.values.insert(channel.values.end(), words, words + length);
  pool_.count(static_cast<std::ptrdiff_t>((channel.values.capacity() - before) * sizeof(Word)));
}

Gather::Channel &Gather::channel(std::uint32_t number) {
  std::lock_guard lock(channelsMutex_);
  auto &channel = channels_[number];
  if (!channel)
    channel = std::make_unique<Channel>();
  return *channel;
}

void Gather::hand(std::uint32_t number, Channel &channel, Sink &sink) {
  if (channel.records == 0)
    return;
  const ChannelShare share{number, channel.records};
  sink.batch({{channel.buffer.words.get(), channel.words}, channel.records, {&share, 1}, channel.values});
  channel.words = channel.records = 0;
  channel.values.clear();
}

/// Makes room for a record of `length` words, the first of `coming` words; these may be fewer, since short
/// records are made whole.
void Gather::makeRoom(std::uint32_t number, Channel &channel, std::size_t length, std::size_t coming,
                      Sink &sink) {
  assert(length <= kChunkWords && "a record is shorter than a chunk");
  if (channel.words + length > kChunkWords)
    hand(number, channel, sink);
  if (channel.words + length <= channel.buffer.capacity)
    return;
  BufferPool::Buffer bigger = pool_.get(channel.words + std::max(length, coming));
  std::copy_n(channel.buffer.words.get(), channel.words, bigger.words.get());
  pool_.put(std::exchange(channel.buffer, std::move(bigger)));
}

std::size_t Gather::take(std::uint32_t number, const Word *words, std::size_t count, std::uint64_t tag,
                         RunCount &run, Sink &sink) {
  Channel &to = channel(number);
  std::lock_guard lock(to.mutex);
  const Word *const end = words + count;
  const auto copy = [&](const abi::RecordHead &head, const Word *record, std::size_t length) {
    if (to.values.size() > kChunkValueWords) [[unlikely]]
      hand(number, to, sink);
    if (to.words + length > to.buffer.capacity) [[unlikely]]
      makeRoom(number, to, length, static_cast<std::size_t>(end - record), sink);
    copyRecord(head, record, length, to.buffer.words.get() + to.words);
    to.words += static_cast<std::uint32_t>(length);
    ++to.records;
  };
  const std::size_t taken = run.scan(
      words, count, tag, copy, [&](const Word *record, std::size_t length) { addValue(to, record, length); });
  if (pool_.isFull()) {
    hand(number, to, sink);
    release(to);
  }
  return taken;
}

std::vector<std::pair<std::uint32_t, Gather::Channel *>> Gather::channelsOf(std::uint32_t first,
                                                                            std::uint32_t end) {
  std::lock_guard lock(channelsMutex_);
  std::vector<std::pair<std::uint32_t, Channel *>> found;
  for (auto next = channels_.lower_bound(first); next != channels_.end() && next->first < end; ++next)
    found.emplace_back(next->first, next->second.get());
  return found;
}

void Gather::flush(Sink &sink, std::uint32_t first, std::uint32_t end) {
  std::vector<ChannelShare> shares;
  BufferPool::Buffer rest;
  std::vector<Word> values;
  std::uint32_t words = 0, records = 0;
  const auto give = [&] {
    if (records != 0)
      sink.batch({{rest.words.get(), words}, records, shares, values});
    values.clear();
    shares.clear();
    words = records = 0;
  };
  for (const auto &[number, channel] : channelsOf(first, end)) {
    std::lock_guard lock(channel->mutex);
    if (channel->records == 0)
      continue;
    if (words + channel->words > kChunkWords || values.size() + channel->values.size() > kChunkValueWords)
      give();
    if (channel->words > kChunkWords / 2 ||
        channel->values.size() > kChunkValueWords / 2) { // a chunk by itself
      give();
      hand(number, *channel, sink);
    } else {
      if (!rest.words)
        rest = pool_.get(kChunkWords);
      std::memcpy(static_cast<void *>(rest.words.get() + words), channel->buffer.words.get(),
                  channel->words * sizeof(Word));
      words += channel->words;
      records += channel->records;
      shares.push_back({number, channel->records});
      values.insert(values.end(), channel->values.begin(), channel->values.end());
      channel->words = channel->records = 0;
    }
    release(*channel);
  }
  give();
  pool_.put(std::move(rest));
}

} // namespace cupr::trace
