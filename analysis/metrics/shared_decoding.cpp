/// A message: a Failure and its text, the new shapes, and then for each chunk of the sender how many runs
/// there are by shard of the receiver, and these.
#include "shared_decoding.h"

#include <cstring>
#include <type_traits>

namespace cupr::analysis {

namespace {

enum class Failure : std::uint8_t { None, BadTrace, Other };

template <typename T> void put(Bytes &message, const T *values, std::size_t count) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto *bytes = reinterpret_cast<const std::byte *>(values);
  message.insert(message.end(), bytes, bytes + count * sizeof(T));
}
template <typename T> void put(Bytes &message, const T &value) { put(message, &value, 1); }

/// What is left of a message.
class Rest {
public:
  explicit Rest(const Bytes &message) : left_(message) {}
  template <typename T> void take(T *values, std::size_t count) {
    if (count == 0)
      return;
    if (count > left_.size() / sizeof(T))
      throw std::runtime_error("a message from another process is too short");
    std::memcpy(values, left_.data(), count * sizeof(T));
    left_ = left_.subspan(count * sizeof(T));
  }
  template <typename T> T take() {
    T value;
    take(&value, 1);
    return value;
  }
  std::size_t size() const { return left_.size(); }

private:
  std::span<const std::byte> left_;
};

void putFailure(Bytes &message, const std::exception_ptr &failure) {
  if (!failure)
    return put(message, Failure::None);
  try {
    std::rethrow_exception(failure);
  } catch (const BadTrace &error) {
    put(message, Failure::BadTrace);
    put(message, error.what(), std::strlen(error.what()));
  } catch (const std::exception &error) {
    put(message, Failure::Other);
    put(message, error.what(), std::strlen(error.what()));
  }
}

} // namespace

Bytes SharedDecoding::messageTo(unsigned peer, std::span<const ChunkRuns> runs,
                                const std::exception_ptr &failure) const {
  Bytes message;
  putFailure(message, failure);
  if (failure || peer == peers_.number())
    return message;
  put(message, std::uint64_t{shapes_.size() - toldShapes_});
  for (std::size_t shape = toldShapes_; shape < shapes_.size(); ++shape)
    put(message, shapes_[static_cast<std::uint32_t>(shape)]);
  const ShardRange shards = shardsOf(peer);
  for (std::size_t chunk = 0; chunk < runs.size(); ++chunk)
    if (isMine(chunk)) {
      const auto &begins = runs[chunk].begins;
      for (unsigned shard = shards.first; shard < shards.end; ++shard)
        put(message, begins[shard + 1] - begins[shard]);
      put(message, runs[chunk].runs.data() + begins[shards.first], begins[shards.end] - begins[shards.first]);
    }
  return message;
}

void SharedDecoding::take(unsigned peer, const Bytes &message, std::span<ChunkRuns> runs) {
  Rest rest(message);
  if (const auto failure = rest.take<Failure>(); failure != Failure::None) {
    std::string what(rest.size(), ' ');
    rest.take(what.data(), what.size());
    throw PeerFailure(what, failure == Failure::BadTrace);
  }
  if (peer == peers_.number())
    return;
  std::vector<std::uint32_t> &numbers = numbers_[peer];
  for (auto left = rest.take<std::uint64_t>(); left != 0; --left)
    numbers.push_back(shapes_.add(rest.take<AccessShape>()));
  const ShardRange shards = this->shards();
  for (std::size_t chunk = peer; chunk < runs.size(); chunk += peers_.count()) {
    ChunkRuns &into = runs[chunk];
    std::uint32_t sum = 0;
    for (unsigned shard = 0; shard < kShards; ++shard) {
      into.begins[shard] = sum;
      if (shard >= shards.first && shard < shards.end)
        sum += rest.take<std::uint32_t>();
    }
    into.begins[kShards] = sum;
    into.runs.resize(sum);
    rest.take(into.runs.data(), sum);
    for (ShardRun &run : into.runs)
      run.shape = numbers.at(run.shape);
    into.ctas.clear(); // the process that decoded the chunk counts these
    into.sms.clear();
    into.records = 0;
  }
}

void SharedDecoding::share(std::span<ChunkRuns> runs, const std::exception_ptr &failure) {
  if (peers_.count() == 1) {
    if (failure)
      std::rethrow_exception(failure);
    return;
  }
  std::vector<Bytes> messages;
  for (unsigned peer = 0; peer < peers_.count(); ++peer)
    messages.push_back(messageTo(peer, runs, failure));
  toldShapes_ = shapes_.size();
  const std::vector<Bytes> received = peers_.exchange(std::move(messages));
  // The shapes in them are told again, as mine: a number is a place in the sender's table.
  for (unsigned peer = 0; peer < peers_.count(); ++peer)
    take(peer, received[peer], runs);
}

} // namespace cupr::analysis
