/// A message: the news of a failure, the new shapes, and then for each chunk of the sender how many runs
/// there are by shard of the receiver, and these.
#include "shared_decoding.h"

namespace cupr::analysis {

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
  RestOfMessage rest(message);
  takeFailure(rest);
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
  if (peers_.count() == 1)
    return agree(peers_, failure);
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
