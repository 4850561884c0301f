/// Unpacks a chunk at a time and checks what the metrics rely on: the site exists, and so
/// do the CTA and the warp.
#include "records.h"

#include "phase_records.h"

#include <utility>

namespace cupr::analysis {

bool isWanted(const trace::Site &site, RecordsOf wanted) {
  const bool isBlock = (site.flags & abi::kSiteBlock) != 0;
  switch (wanted) {
  case RecordsOf::Blocks:
    return isBlock || site.operation == abi::Operation::Variable;
  case RecordsOf::Executions:
    return site.operation == abi::Operation::Instructions;
  case RecordsOf::Everything:
    return !isBlock;
  case RecordsOf::AllMemory:
    return isAccess(site);
  case RecordsOf::GlobalMemory:
    return isAccess(site) && abi::spaceOf(site.space) == abi::MemorySpace::Global;
  case RecordsOf::GlobalWrites:
    return isWanted(site, RecordsOf::GlobalMemory) &&
           abi::operationClass(site.operation) != abi::OperationClass::Load;
  }
  return false;
}

RecordStream::RecordStream(const Model &model, const LaunchInfo &launch, RecordsOf wanted)
    : model_(model), launch_(launch), module_(model.moduleOf(launch)), wanted_(wanted),
      reader_(model.reader()), endChunk_(launch.chunks.size()) {}

RecordStream::RecordStream(const Model &model, const LaunchInfo &launch, RecordsOf wanted,
                           trace::Reader &reader, std::size_t chunk)
    : model_(model), launch_(launch), module_(model.moduleOf(launch)), wanted_(wanted), reader_(reader),
      chunk_(chunk), endChunk_(chunk + 1) {}

void RecordStream::bad(const std::string &rule) const {
  throw BadTrace(model_.path() + ": " + place() + ": " + rule);
}

std::string RecordStream::place() const {
  return "launch " + std::to_string(static_cast<std::uint64_t>(launch_.launch.id)) + ", chunk " +
         std::to_string(chunk_ - 1);
}

void RecordStream::spendPending() {
  model_.limit().spend(std::exchange(pending_, 0), [&] { return place() + ": looking at its records"; });
}

const trace::Chunk *RecordStream::readChunk(std::uint64_t offset) {
  if (launch_.phaseRecords) {
    launch_.phaseRecords->read(offset, phaseChunk_);
    return &phaseChunk_;
  }
  if (const std::string rule = reader_.at(offset, message_); !rule.empty())
    bad(rule);
  const auto *chunk = std::get_if<trace::Chunk>(&message_);
  if (!chunk)
    bad("there is another message in its place");
  return chunk;
}

bool RecordStream::nextChunk() {
  wordsBefore_ += words_.size();
  at_ = 0;
  if (derived_) {
    derived_->next(words_);
    if (!words_.empty())
      return true;
    reduced_ += derived_->reduced();
    left_ += derived_->left();
    derived_.reset();
  }
  words_.clear();
  if (chunk_ == endChunk_)
    return false;
  values_ = {};
  if (launch_.derivedRecords) {
    derived_.emplace(*launch_.derivedRecords, static_cast<std::size_t>(launch_.chunks[chunk_++]));
    if (filter_)
      derived_->reduce(*filter_, *families_);
    return true;
  }
  const trace::Chunk *chunk = readChunk(launch_.chunks[chunk_++]);
  model_.limit().spend(trace::stepsOf(*chunk), [&] { return place() + ": unpacking its records"; });
  if (const std::string rule = trace::unpackChunk(*chunk, words_); !rule.empty())
    bad(rule);
  if (readsValues_) {
    if (valueSites_.empty() && launch_.launch.values && module_)
      valueSites_ = trace::valueSitesOf(module_->sites);
    if (const std::string rule = trace::unpackValues(chunk->values, words_, valueSites_, valueWords_);
        !rule.empty())
      bad(rule);
    values_ = trace::RecordValues(launch_.launch.values, valueWords_);
  }
  return true;
}

const Record *RecordStream::next() {
  for (;;) {
    while (at_ == words_.size())
      if (!nextChunk())
        return nullptr;
    std::uint32_t size = 0;
    const trace::Word *const words = words_.data() + at_;
    abi::RecordHead head;
    const abi::RecordStatus status = abi::decodeHead(words, words_.size() - at_, record_.access, head, size);
    if (status == abi::RecordStatus::Malformed)
      bad("a record can't be read");
    at_ += size;
    recordWords_ = size;
    if (status == abi::RecordStatus::Pad)
      continue;
    if (!module_ || record_.access.site >= module_->sites.size())
      bad("a record's site is not in the module");
    const trace::Dim3 &grid = launch_.launch.grid, &block = launch_.launch.block;
    if (record_.access.cta >= static_cast<unsigned __int128>(grid.x) * grid.y * grid.z)
      bad("a record's CTA is not in the grid");
    if (record_.access.warp * std::uint64_t{abi::kLanes} >=
        static_cast<unsigned __int128>(block.x) * block.y * block.z)
      bad("a record's warp is not in the block");
    record_.site = &module_->sites[record_.access.site];
    if (readsValues_)
      if (const char *rule = values_.take(record_.access, *record_.site, record_.values))
        bad(rule);
    if (!isWanted(*record_.site, wanted_))
      continue;
    if (leavesAffine_ && record_.access.form == abi::RecordForm::Affine)
      record_.access.address[__builtin_ctz(head.laneMask)] = head.base;
    else if (abi::decodeAddresses(words, head, record_.access) == abi::RecordStatus::Malformed)
      bad("a record can't be read");
    return &record_;
  }
}

} // namespace cupr::analysis
