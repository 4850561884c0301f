/// Each chunk has a head in front of its packed bytes.
#include "phase_records.h"

namespace cupr::analysis {

namespace {

struct Head {
  std::uint64_t hash;
  std::uint32_t records, words, encodedBytes, packedBytes;
  trace::Encoding encoding;
};

} // namespace

std::uint64_t PhaseRecords::add(std::span<const trace::Word> words, std::uint32_t records,
                                std::uint32_t row) {
  const trace::PackedWords packed = trace::packWords(words, row, trace::kFastLevel);
  Head head{};
  head.hash = packed.hash;
  head.records = records;
  head.words = static_cast<std::uint32_t>(words.size());
  head.encodedBytes = packed.encodedBytes;
  head.packedBytes = static_cast<std::uint32_t>(packed.packed.size());
  head.encoding = packed.encoding;
  writeAll(file_.get(), &head, sizeof head);
  writeAll(file_.get(), packed.packed.data(), packed.packed.size());
  const std::uint64_t place = end_;
  end_ += sizeof head + packed.packed.size();
  return place;
}

void PhaseRecords::finish() { flushAll(file_.get()); }

void PhaseRecords::read(std::uint64_t place, trace::Chunk &chunk) const {
  Head head;
  readAllAt(file_.get(), place, &head, sizeof head);
  chunk = {};
  chunk.records = head.records;
  chunk.words = head.words;
  chunk.encoding = head.encoding;
  chunk.encodedBytes = head.encodedBytes;
  chunk.hash = head.hash;
  chunk.packed.resize(head.packedBytes);
  readAllAt(file_.get(), place + sizeof head, chunk.packed.data(), chunk.packed.size());
}

} // namespace cupr::analysis
