/// Counts and index, as Verifier expects them.
#include "message_file.h"

#include "frame.h"

namespace cupr::trace {

void MessageFile::append(const Message &message) {
  append(message, std::visit([](const auto &value) { return encode(value); }, message));
}

void MessageFile::append(const Message &message, const Payload &payload) {
  if (error_ != 0)
    return;
  if (const auto *launch = std::get_if<Launch>(&message)) {
    index_[launch->id].launch = output_.offset();
    if (!launch->traced)
      untraced_.insert(launch->id);
  } else if (const auto *chunk = std::get_if<Chunk>(&message)) {
    index_[chunk->launch].chunks.push_back(output_.offset());
  } else if (const auto *totals = std::get_if<LaunchTotals>(&message)) {
    index_[totals->end.id].launchEnd = output_.offset();
  }
  error_ = output_.append(payload, hashOf(std::as_bytes(std::span(payload))));
  ++counts_[message.index()];
}

std::uint64_t MessageFile::chunks(LaunchId launch) const {
  const auto found = index_.find(launch);
  return found == index_.end() ? 0 : found->second.chunks.size();
}

End MessageFile::filled(End end) const {
  const Message kind = End{};
  end.counts = counts_;
  ++end.counts[kind.index()];
  std::unordered_set<LaunchId> named;
  for (const LaunchIndex &launch : end.launches)
    named.insert(launch.id);
  end.launches.clear();
  for (const auto &[id, launch] : index_) {
    if (launch.launchEnd == 0 && launch.chunks.empty() && untraced_.contains(id) && !named.contains(id))
      continue;
    end.launches.push_back(launch);
    end.launches.back().id = id;
  }
  return end;
}

void MessageFile::finish(End end) {
  append(filled(std::move(end)));
  close();
}

void MessageFile::close() {
  if (const int error = output_.close(); error_ == 0)
    error_ = error;
}

} // namespace cupr::trace
