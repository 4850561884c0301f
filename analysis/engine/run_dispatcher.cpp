/// The hot loop over records.
#include "run_dispatcher.h"

#include "analysis/model/phases.h"

#include <algorithm>

namespace cupr::analysis {

namespace {

/// Parts of a run that are longer go to every shard as one run. In so many bytes each shard has a page.
constexpr std::uint64_t kWideBytes = 2 * kShards * kPageBytes;
/// What fits into a run.
constexpr std::uint64_t kWidestBytes = std::uint64_t{1} << 30;
/// One access makes hundreds of them, and they are kept for a batch.
constexpr std::uint64_t kStepsPerWideRun = 4000;

/// The element, made if the vector is too short.
template <typename T> T &elementOf(std::vector<T> &values, std::size_t index) {
  if (index >= values.size())
    values.resize(index + 1);
  return values[index];
}

/// What an access of several requests takes more, in steps of trace::WorkLimit.
std::uint64_t stepsOf(std::span<const AccessRun> runs, const RequestFigures &made) {
  constexpr std::uint64_t kMostApart = 40; // requests.cpp
  std::uint64_t elements = 0;
  bool areAlike = true;
  for (const AccessRun &run : runs) {
    elements += run.elements;
    areAlike = areAlike && run.elementBytes == runs.front().elementBytes;
  }
  return 4 * elements * (areAlike ? std::min(made.requests, kMostApart) : made.requests);
}

} // namespace

RunDispatcher::RunDispatcher(const Model &model, const std::vector<std::uint32_t> &firstSites,
                             AccessShapes &shapes, const PageDeal &deal, CommunicatedAccesses *accesses)
    : model_(model), firstSites_(firstSites), shapes_(shapes), deal_(deal), accesses_(accesses) {
  std::string error;
  reader_ = trace::Reader::open(model.path(), error);
  if (!reader_)
    throw BadTrace(error);
}

void RunDispatcher::dispatch(const StepChunk &chunk, std::size_t mostRuns, ChunkRuns &result) {
  const LaunchIndex launch = chunk.launch;
  const LaunchInfo &info = model_.launches()[launch];
  RecordStream records(model_, info, RecordsOf::GlobalMemory, *reader_, chunk.chunk);
  for (std::uint64_t i = 0; i < chunk.firstRecord; ++i)
    records.next();
  // Without a module, there is no record that the stream lets pass.
  const auto module = static_cast<std::size_t>(info.launch.module);
  const std::uint32_t firstSite = module < firstSites_.size() ? firstSites_[module] : 0;
  // A number for every thread's access in the trace: a chunk has at most 2^16 records.
  std::uint64_t access = (chunk.number << 21) + abi::kLanes * chunk.firstRecord;
  runs_.clear();
  counts_.fill(0);
  ctas_.clear();
  sms_.fill({});
  lastCta_ = nullptr;
  lastAllocation_ = {};
  result.records = result.nextRecord = 0;
  auto spendForRuns = [&, seen = std::size_t{0}]() mutable {
    constexpr std::uint64_t kStepsPerRun = 60, kStepsPerRecord = 80;
    model_.limit().spend(kStepsPerRun * (runs_.size() - seen) + 64 * kStepsPerRecord + parts_,
                         [&] { return info.kernel + ": following its accesses"; });
    seen = runs_.size();
    parts_ = 0;
  };
  for (; const Record *record = records.next(); access += abi::kLanes) {
    if (runs_.size() >= mostRuns) {
      result.nextRecord = chunk.firstRecord + result.records;
      break;
    }
    if (record->access.cta >= UINT32_MAX)
      throw BadTrace(model_.path() + ": " + info.kernel +
                     " has more than 2^32 CTAs, which the analysis of communication can't number");
    add(*record, launch, firstSite + record->access.site, access, *chunk.allocations);
    if (++result.records % 64 == 0)
      spendForRuns();
  }
  spendForRuns();
  tellCutReads();
  sortByShard(result);
  // Each thread has one, so what a single large chunk needed is not kept.
  constexpr std::size_t kKeptBytes = std::size_t{16} << 20;
  if (runs_.capacity() * sizeof(ShardRun) > kKeptBytes)
    runs_ = std::vector<ShardRun>();
  result.ctas.clear();
  for (const auto &[cta, volume] : ctas_)
    result.ctas.push_back(volume);
  result.sms.clear();
  for (std::uint32_t sm = 0; sm < sms_.size(); ++sm)
    if (sms_[sm].accesses != 0) {
      sms_[sm].launch = launch;
      sms_[sm].index = sms_[sm].sm = sm;
      result.sms.push_back(sms_[sm]);
    }
}

void RunDispatcher::add(const Record &record, LaunchIndex launch, std::uint32_t site, std::uint64_t access,
                        const AllocationMap &allocations) {
  const std::span<const AccessRun> runs = runsOf_.of(record);
  const abi::OperationClass operation = abi::operationClass(record.site->operation);
  const std::uint64_t bytes = abi::recordBytes(record.access, record.site->bytes);
  SiteFigures &figures = elementOf(sites_, site);
  figures.counts.add(operation, abi::activeLanes(record.access.laneMask), bytes);
  const RequestFigures made = requestsOf(record, runs);
  figures.made.add(made);
  parts_ += made.requests > 1 ? stepsOf(runs, made) : 0;
  const auto cta = static_cast<std::uint32_t>(record.access.cta);
  if (!lastCta_ || lastCta_->index != cta)
    lastCta_ = &ctas_.try_emplace(cta, EntityVolume{launch, cta, record.access.sm}).first->second;
  for (EntityVolume *volume : {lastCta_, &sms_[record.access.sm]}) {
    volume->loadBytes += operation != abi::OperationClass::Store ? bytes : 0;
    volume->storeBytes += operation != abi::OperationClass::Load ? bytes : 0;
    volume->accesses += abi::activeLanes(record.access.laneMask);
    volume->bytes += bytes;
  }
  const auto shapeOf = [&](const AccessRun &run) {
    return AccessShape::of(site, run, operation != abi::OperationClass::Load);
  };
  // Scattered accesses have a shape each: its number, and then its sum, are asked for ahead.
  std::array<ShapeCache::Key, abi::kLanes> keys;
  for (std::size_t i = 0; i < runs.size(); ++i)
    keys[i] = shapes_.announce(shapeOf(runs[i]));
  std::array<std::uint32_t, abi::kLanes> shapes;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    shapes[i] = shapes_.numberOf(keys[i], [&] { return shapeOf(runs[i]); });
    __builtin_prefetch(&elementOf(bytesByShape_, shapes[i]), 1);
  }
  const std::uint32_t *nextShape = shapes.data();
  for (const AccessRun &run : runs) {
    const std::uint32_t shape = *nextShape++;
    bytesByShape_[shape] += run.threadBytes();
    const Range range = run.range();
    if (range.begin < lastAllocation_.range.begin || range.end > lastAllocation_.range.end)
      lastAllocation_ = allocations.entryOf(run.begin);
    if (run.elements == 1 || range.end <= lastAllocation_.range.end)
      elementOf(allocations_, lastAllocation_.index)
          .add(operation, std::uint64_t{run.elements} * run.threads, run.threadBytes());
    else
      countByAllocation(run, operation, allocations);
    if (isGridBarrier(*record.site))
      continue; // what blocks wait for is no data
    ShardRun whole{run.begin,
                   0,
                   cta,
                   shape,
                   static_cast<std::uint32_t>(run.elementBytes),
                   static_cast<std::uint16_t>(run.elements),
                   static_cast<std::uint8_t>(run.threads),
                   1,
                   operation};
    if (range.begin >> kPageShift == (range.end - 1) >> kPageShift)
      push(whole);
    else
      cut(run, whole, access + 1);
    if (accesses_ && operation != abi::OperationClass::Store)
      noteCutReads({run.begin, run.elementBytes, launch, cta, site, run.threads}, run.elements, access + 1);
    access += run.elements;
  }
}

/// Of a run that reaches over the end of an allocation, or into one: each element counts where its first byte
/// is.
void RunDispatcher::countByAllocation(const AccessRun &run, abi::OperationClass operation,
                                      const AllocationMap &allocations) {
  std::uint64_t offset = 0, counted = 0; // bytes and elements of the run
  allocations.split(run.range(), [&](std::uint64_t bytes, std::uint32_t index) {
    offset += bytes;
    const std::uint64_t elements = (offset + run.elementBytes - 1) / run.elementBytes - counted;
    counted += elements;
    elementOf(allocations_, index)
        .add(operation, elements * run.threads, elements * run.elementBytes * run.threads);
  });
}

/// Cuts a run at the borders of pages. Elements that cross one become parts with a number of their own.
void RunDispatcher::cut(const AccessRun &run, ShardRun part, std::uint64_t access) {
  const std::uint64_t size = run.elementBytes, end = run.range().end;
  for (std::uint64_t at = run.begin; at < end;) {
    const std::uint64_t index = (at - run.begin) / size, elementBegin = run.begin + index * size;
    const std::uint64_t left = kPageBytes - at % kPageBytes;
    part.begin = at;
    part.startsRun = index == 0;
    if (at == elementBegin && size <= left) {
      const std::uint64_t whole = std::min(left / size, run.elements - index);
      part.elements = static_cast<std::uint16_t>(whole);
      part.elementBytes = static_cast<std::uint32_t>(size);
      part.access = 0;
      at += whole * size;
    } else {
      const std::uint64_t rest = elementBegin + size - at;
      part.elements = 1;
      part.access = access + index;
      if (rest > kWideBytes) {
        const std::uint64_t bytes = std::min(rest, kWidestBytes);
        spread(part, {at, at + bytes});
        at += bytes;
        continue;
      }
      part.elementBytes = static_cast<std::uint32_t>(std::min(rest, left));
      at += part.elementBytes;
    }
    push(part);
  }
}

/// Those of `elements` that cross a border of pages. `read`: the first of them, with the number `access`.
void RunDispatcher::noteCutReads(CommunicatedRead read, std::uint32_t elements, std::uint64_t access) {
  for (; elements != 0; --elements, ++access, read.address += read.bytes)
    if (read.address >> kPageShift != (read.address + read.bytes - 1) >> kPageShift)
      cutReads_.push_back({.access = access, .read = read, .isKnown = true});
  constexpr std::size_t kMostCutReads = 1u << 14;
  if (cutReads_.size() > kMostCutReads)
    tellCutReads();
}

/// Where the trace is read again, they are told again: that changes nothing.
void RunDispatcher::tellCutReads() {
  if (!cutReads_.empty())
    accesses_->add({}, cutReads_, {});
  cutReads_.clear();
}

/// Gives each shard a run from its first page in `range` to the end.
void RunDispatcher::spread(ShardRun part, const Range &range) {
  for (unsigned shard = 0; shard < kShards; ++shard) {
    std::uint64_t begin = UINT64_MAX;
    const auto look = [&](const Range &in) {
      deal_.forEachPart(in, shard, [&](const Range &page) { begin = std::min(begin, page.begin); });
    };
    look({range.begin, std::min(range.end, range.begin + kWideBytes)});
    if (begin == UINT64_MAX) { // copies connect its pages with others
      parts_ += range.bytes() >> kPageShift;
      look(range);
    }
    if (begin == UINT64_MAX)
      continue;
    part.begin = begin;
    part.elementBytes = static_cast<std::uint32_t>(range.end - begin);
    parts_ += kStepsPerWideRun;
    push(part);
  }
}

void RunDispatcher::push(const ShardRun &run) {
  runs_.push_back(run);
  ++counts_[deal_.shardOf(run.begin >> kPageShift)];
}

void RunDispatcher::sortByShard(ChunkRuns &result) {
  std::array<std::uint32_t, kShards> next;
  std::uint32_t sum = 0;
  for (unsigned shard = 0; shard < kShards; ++shard) {
    next[shard] = result.begins[shard] = sum;
    sum += counts_[shard];
  }
  result.begins[kShards] = sum;
  result.runs.resize(sum);
  for (const ShardRun &run : runs_)
    result.runs[next[deal_.shardOf(run.begin >> kPageShift)]++] = run;
}

} // namespace cupr::analysis
