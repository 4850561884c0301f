#include "launch_records.h"

#include "hostlib/trace/packed_values.h"

namespace cupr::analysis {

std::string LaunchRecords::add(const abi::WarpAccess &access, const trace::AccessValues *values) {
  if (const char *rule = rules_.broken(access))
    return rule;
  trace::Word words[abi::kMaxRecordWords];
  const std::uint32_t size = access.form == abi::RecordForm::Range
                                 ? abi::encodeRange(access, 0, words)
                                 : abi::encodeRecord(access, 0, words, launch_.block.x);
  words_.insert(words_.end(), words, words + size);
  ++records_;
  for (std::uint32_t piece = 0; values && piece < abi::piecesOf(values->shape); ++piece) {
    trace::Word value[abi::kMaxValueWords];
    const std::uint32_t length = abi::writeValue(abi::bytesOfPieceAmong(values->shape, piece),
                                                 access.laneMask, values->pieces[piece], value);
    values_.insert(values_.end(), value, value + length);
  }
  return words_.size() >= trace::kChunkWords || values_.size() >= trace::kChunkValueWords ? endChunk()
                                                                                          : std::string();
}

std::string LaunchRecords::endChunk() {
  if (records_ == 0)
    return {};
  const trace::Dim3 &grid = launch_.grid;
  trace::Chunk chunk = trace::packChunk(words_, records_, grid.y > 1 || grid.z > 1 ? grid.x : 0);
  chunk.launch = launch_.id;
  chunk.sequence = file_.chunks(launch_.id);
  trace::RecordTotals totals;
  if (std::string rule = trace::recount(chunk, words_, values_, launch_, sites_, totals); !rule.empty())
    return rule;
  const trace::PackedValues values = trace::packValues(words_, values_, valueSites_, trace::kFastLevel);
  chunk.values.words = values.words;
  chunk.values.encodedBytes = values.encodedBytes;
  chunk.values.hash = values.hash;
  chunk.values.packed.assign(reinterpret_cast<const char *>(values.packed.data()), values.packed.size());
  totals_ += totals;
  file_.append(std::move(chunk));
  words_.clear();
  values_.clear();
  records_ = 0;
  return {};
}

std::string LaunchRecords::finish(trace::LaunchEnd end) {
  if (std::string rule = endChunk(); !rule.empty())
    return rule;
  trace::LaunchTotals totals;
  totals.end = std::move(end);
  totals.end.id = launch_.id;
  totals.end.recordWords = totals.words = totals_.words;
  totals.records = totals_.records;
  totals.chunks = file_.chunks(launch_.id);
  totals.counts = totals_.counts;
  file_.append(totals);
  return {};
}

} // namespace cupr::analysis
