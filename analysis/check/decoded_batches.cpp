#include "decoded_batches.h"

#include "repeated_blocks.h"

#include <algorithm>
#include <atomic>
#include <tbb/parallel_for.h>
#include <utility>

namespace cupr::analysis {

namespace {

/// Of a block's window, in front of its variables, since compute capability 8.0.
constexpr std::uint64_t kSystemShared = 1024;

/// Whether blocks of the launch that are alike do the same inside of themselves, as far as this goes: only barriers order their threads, and
/// nobody else comes to their shared memory.
bool areAlikeInside(const LaunchInfo &info, const ModuleTraits &module) {
  if (!info.derivedRecords || info.derivedRecords->blocks() == 1 || module.sharedIsOpen ||
      trace::Clusters(info.launch).areThere())
    return false;
  const trace::Slice &slice = info.derivedRecords->slice();
  return std::ranges::all_of(slice.code, [&](const abi::SliceInstruction &instruction) {
    if (static_cast<abi::SliceOperation>(instruction.operation) != abi::SliceOperation::Access)
      return true;
    const SiteTraits &site = module.sites[abi::siteOf(instruction)];
    if (site.isAccess)
      return !site.isCopied && !site.acquires && !site.releases;
    return site.hasMask || site.operation == abi::Operation::Barrier ||
           site.operation == abi::Operation::BarrierArrive;
  });
}

} // namespace

DecodedBatches::DecodedBatches(const Model &model, const Ordering &ordering, const MemoryLifetimes &lifetimes,
                               const FailedKernels &failed, const std::vector<LaunchIndex> &kernels,
                               const std::vector<const ModuleTraits *> &modules, std::size_t chunksPerBatch,
                               Repeated repeated, std::uint64_t mostReducedBytes)
    : model_(model), lifetimes_(lifetimes), failed_(failed), repeated_(repeated),
      mostReducedBytes_(mostReducedBytes),
      batches_(model, ordering, DeviceCopies::Read, chunksPerBatch, HostAccesses::Read), readers_(model),
      variables_(model),
      decoders_([this, &kernels, &modules] { return ChunkDecoder(model_, lifetimes_, kernels, modules); }) {}

bool DecodedBatches::next(StepBatch &batch) {
  if (!batches_.next(batch))
    return false;
  noteFirstWrites(batch);
  return true;
}

void DecodedBatches::begin(const CheckedLaunch &launch) {
  Launch &its = launches_[launch.index];
  its.context = contextOf(launch);
  its.leavesPast = launch.mayOverlap || launch.mayMeetHost;
  its.reduces = repeated_ == Repeated::Left && !its.leavesPast &&
                areAlikeInside(model_.launches()[launch.index], *launch.module);
}

void DecodedBatches::takeFaults(FaultList &faults) {
  for (ChunkDecoder &decoder : decoders_)
    faults.add(std::move(decoder.faults()));
}

ChunkContext DecodedBatches::contextOf(const CheckedLaunch &launch) {
  const LaunchInfo &info = model_.launches()[launch.index];
  ChunkContext context;
  context.launch = launch.index;
  context.act = launch.act;
  context.module = launch.module;
  context.clusters = launch.order->clusters();
  context.hasFailed = model_.header().process.deviceKind != "gpu" && !failureOf(info).empty();
  context.hasFailedByAddress = failed_.isByAddress(info);
  const auto variables = variables_.of(info);
  if (!variables.empty()) {
    context.sharedBegin = variables.front().offset;
    context.sharedEnd = 0;
    for (const SharedVariable &variable : variables)
      context.sharedEnd = std::max(context.sharedEnd, variable.offset + variable.bytesIn(info));
  }
  if (context.sharedBegin >= kSystemShared ||
      (info.launch.staticShared == 0 && info.launch.dynamicShared == 0))
    context.systemEnd = kSystemShared;
  context.hostWritten = &hostWritten_;
  return context;
}

/// What it forgets was noted in front of it: what is there meanwhile, all of its launches may count on.
void DecodedBatches::noteWrites(const StepBatch &batch) {
  for (const MemoryStep &step : batch.steps)
    if (step.kind == MemoryStep::HostWrites || step.kind == MemoryStep::Forget)
      noteHostWrites(step);
}

/// What the host writes before any of its records, all of them may count on, but for what is forgotten somewhere in the batch.
void DecodedBatches::noteFirstWrites(const StepBatch &batch) {
  const auto runs = std::ranges::find(batch.steps, MemoryStep::Runs, &MemoryStep::kind);
  for (auto step = batch.steps.begin(); step != batch.steps.end(); ++step)
    if (step->kind == MemoryStep::Forget || (step->kind == MemoryStep::HostWrites && step < runs))
      noteHostWrites(*step);
}

void DecodedBatches::noteHostWrites(const MemoryStep &step) {
  if (step.range.begin >= step.range.end)
    return;
  if (step.kind == MemoryStep::Forget)
    hostWritten_.remove(step.range.begin >> kCheckPageShift, ((step.range.end - 1) >> kCheckPageShift) + 1);
  else if (step.allocations)
    hostWritten_.add((step.range.begin + kCheckPageBytes - 1) >> kCheckPageShift,
                     step.range.end >> kCheckPageShift);
}

void DecodedBatches::prepare(const LaunchInfo &info, Launch &launch) {
  if (launch.written)
    return;
  launch.written = launch.leavesPast ? WrittenPages() : WrittenPages(model_, info, readers_);
  launch.context.written = &*launch.written;
}

/// Of the families of the launch that this chunk is of.
ReducedFamilies DecodedBatches::reduce(const StepChunk &chunk, const ChunkContext &context) {
  const LaunchInfo &info = model_.launches()[chunk.launch];
  std::vector<std::optional<ReducedBlock>> each(info.derivedRecords->spanning());
  std::atomic<std::int64_t> room{static_cast<std::int64_t>(mostReducedBytes_ / sizeof(trace::Word))};
  tbb::parallel_for(std::size_t{0}, each.size(), [&](std::size_t family) {
    // relaxed: nothing but the number is handed over. Once there is none left, nothing more is looked at.
    if (room.load(std::memory_order_relaxed) <= 0)
      return;
    RepeatedBlocks repeated(*context.module, *chunk.allocations, lifetimes_, info.launch.order,
                            SettledPages(*context.written, *context.hostWritten));
    each[family] = info.derivedRecords->reduced(family, repeated);
    if (each[family])
      room.fetch_sub(static_cast<std::int64_t>(each[family]->words.size()), std::memory_order_relaxed);
  });
  return ReducedFamilies(std::move(each));
}

void DecodedBatches::decode(Batch &batch) {
  for (const MemoryStep &step : batch.batch.steps)
    if (step.kind == MemoryStep::Begin)
      prepare(model_.launches()[step.launch], launches_.at(step.launch));
  const std::vector<StepChunk> &chunks = batch.batch.chunks;
  if (batch.chunks.size() < chunks.size())
    batch.chunks.resize(chunks.size());
  for (const StepChunk &chunk : chunks)
    if (Launch &launch = launches_.at(chunk.launch); launch.reduces && !launch.reduced)
      launch.context.reduced = &launch.reduced.emplace(reduce(chunk, launch.context));
  tbb::parallel_for(std::size_t{0}, chunks.size(), [&](std::size_t i) {
    const StepChunk &chunk = chunks[i];
    RecordStream records(model_, model_.launches()[chunk.launch], RecordsOf::Everything, readers_.mine(),
                         chunk.chunk);
    records.leaveAffine();
    ChunkContext context = launches_.at(chunk.launch).context;
    context.allocations = chunk.allocations.get();
    decoders_.local().decode(records, context, batch.chunks[i]);
  });
}

} // namespace cupr::analysis
