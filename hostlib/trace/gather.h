/// Gathers the records of one launch until they make a chunk.
///
/// Terms: a channel is where records are delivered (a bin of the queue, a worker thread of the CPU
/// device); their order is kept within a channel.
/// Gathered words are whole records without pads, with tag, generation and unused
/// address places set to 0, so that they depend on what the program did and not on when.
///
/// Memory: hundreds of channels may gather at once, in many launches. All take their buffers from one
/// BufferPool; while it is beyond its limit, channels hand over what they have at once and give their buffer
/// back.
#ifndef CUPR_TRACE_GATHER_H
#define CUPR_TRACE_GATHER_H

#include "chunk.h"
#include "record_counts.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace cupr::trace {

/// Where the buffers of channels come from, and how much memory they hold together.
/// Threads: every member may be called from any thread.
class BufferPool {
public:
  struct Buffer {
    std::unique_ptr<Word[]> words;
    std::uint32_t capacity = 0; ///< in words
  };

  explicit BufferPool(std::uint64_t maxBytes) : maxBytes_(maxBytes) {}

  /// Room for `words` words, or for kChunkWords if they are more than that. Throws std::bad_alloc.
  Buffer get(std::size_t words);
  void put(Buffer buffer) noexcept;

  /// Whether buffers should come back early. They hold at most the limit, and one buffer of kChunkWords for
  /// each thread that is at it.
  bool isFull() const { return bytes_.load(std::memory_order_relaxed) > maxBytes_; }
  /// Memory that a channel has taken, or given back, by itself.
  void count(std::ptrdiff_t bytes) {
    bytes_.fetch_add(static_cast<std::uint64_t>(bytes), std::memory_order_relaxed); // modulo 2^64
  }
  /// Bytes of all buffers, of those too that wait here to be used again.
  std::uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

private:
  const std::uint64_t maxBytes_;
  std::atomic<std::uint64_t> bytes_{0};
  std::mutex mutex_;
  std::vector<Buffer> free_; ///< of kChunkWords each
};

/// Words that are ready to be packed.
struct Batch {
  std::span<const Word> words;
  std::uint32_t records = 0;
  std::span<const ChannelShare> shares; ///< in the order of the records
  std::span<const Word> values;         ///< value records, in the order of the records
};

/// Threads: every member may be called from any thread. Throws std::bad_alloc only.
class Gather {
public:
  /// Writes a batch, which is not empty. Called with its channel locked: records of one channel
  /// come in their order.
  class Sink {
  public:
    virtual void batch(const Batch &batch) = 0;

  protected:
    ~Sink() = default;
  };

  explicit Gather(BufferPool &pool) : pool_(pool) {}
  ~Gather();

  /// Takes the records at the front of `count` words, which `run` counts, as RunCount::scan does. Full
  /// batches go to `sink`. Returns the words gone by.
  std::size_t take(std::uint32_t channel, const Word *words, std::size_t count, std::uint64_t tag,
                   RunCount &run, Sink &sink);
  /// Gives everything that is left of the channels from `first` to before `end` to `sink`, by ascending channel. Small
  /// rests share batches: a GPU spreads a launch over many channels. Meanwhile nobody else may take or flush these channels.
  void flush(Sink &sink, std::uint32_t first = 0, std::uint32_t end = UINT32_MAX);

private:
  struct Channel {
    std::mutex mutex;
    BufferPool::Buffer buffer;
    std::uint32_t words = 0, records = 0; ///< in the buffer
    std::vector<Word> values;             ///< of these records
  };

  Channel &channel(std::uint32_t number);
  /// Those that there are, by ascending number. They stay where they are.
  std::vector<std::pair<std::uint32_t, Channel *>> channelsOf(std::uint32_t first, std::uint32_t end);
  void hand(std::uint32_t number, Channel &channel, Sink &sink);
  void addValue(Channel &channel, const Word *words, std::size_t length);
  void release(Channel &channel);
  void makeRoom(std::uint32_t number, Channel &channel, std::size_t length, std::size_t coming, Sink &sink);

  BufferPool &pool_;
  std::mutex channelsMutex_;
  std::map<std::uint32_t, std::unique_ptr<Channel>> channels_;
};

} // namespace cupr::trace

#endif
