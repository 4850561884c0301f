/// Long, since a launch passes through all of it, from its call to its end, in hands that change: the caller's, the device's, the
/// keeper's and those of threads that parse.
#include "device_queue.h"

#include "begun_blocks.h"
#include "devicelib/abi/begun_blocks.h"
#include "devicelib/abi/record.h"
#include "hostlib/runtime/driver/message.h"
#include "hostlib/runtime/driver/own_thread.h"
#include "hostlib/runtime/driver/relaxed_capture.h"
#include "hostlib/trace/chunk.h"
#include "patience.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <utility>

extern "C" const char cuprClosePtx[];

namespace cupr::host {
namespace {

/// Of memory that waits to be written; the device waits with the next ones.
constexpr std::size_t kMostPiecesInWork = 1024;
/// So long a thread that waits for records stays awake, as those do that wait in CUDA's own calls: the launch that it makes next, with
/// caches that have gone cold in its sleep, would take 6 us longer.
constexpr std::chrono::microseconds kAwake{500};

} // namespace

DeviceQueue::DeviceQueue(const Driver &driver, trace::Writer &writer, SnapshotStore &snapshots,
                         std::function<std::uint64_t()> clock)
    : driver_(driver), writer_(writer), clock_(std::move(clock)), tallies_(driver), snapshots_(snapshots),
      memorySeen_(driver, [this](const PieceDigest &digest, const void *bytes, std::size_t size) {
        takePiece(digest, bytes, size);
      }) {}

std::unique_ptr<DeviceQueue> DeviceQueue::create(const Driver &driver, const Settings &settings,
                                                 trace::Writer &writer, SnapshotStore &snapshots,
                                                 std::function<std::uint64_t()> clock, std::string &reason) {
  std::unique_ptr<DeviceQueue> queue(new DeviceQueue(driver, writer, snapshots, std::move(clock)));
  const RelaxedCapture relaxed(driver);
  driver.cuCtxGetCurrent(&queue->context_);
  if (!queue->memory_.allocate(driver, settings, reason))
    return nullptr;
  // What follows a kernel in its stream must not delay the close kernel, which tells when the kernel ended.
  int least = 0, greatest = 0;
  driver.cuCtxGetStreamPriorityRange(&least, &greatest);
  CUmodule module = nullptr;
  CUresult result = driver.cuModuleLoadData(&module, cuprClosePtx);
  if (result == CUDA_SUCCESS)
    result = driver.cuModuleGetFunction(&queue->close_, module, "cuprClose");
  if (result == CUDA_SUCCESS)
    result = driver.cuStreamCreateWithPriority(&queue->closeStream_, CU_STREAM_NON_BLOCKING, greatest);
  if (result == CUDA_SUCCESS) // now, while no kernel can be in the way
    result = driver.cuStreamCreateWithPriority(&queue->cutOffStream_, CU_STREAM_NON_BLOCKING, greatest);
  if (result == CUDA_SUCCESS)
    result = driver.cuEventCreate(&queue->kernelDone_, CU_EVENT_DISABLE_TIMING);
  if (result != CUDA_SUCCESS) {
    reason = fmt::format("preparing the close kernel failed: {}", driverErrorName(result));
    return nullptr;
  }
  queue->start(settings);
  return queue;
}

void DeviceQueue::start(const Settings &settings) {
  parsed_ = std::vector<std::atomic<std::uint64_t>>(memory_.bins);
  patience_ = std::chrono::seconds(settings.watchdogSeconds);
  parser_ = std::make_unique<PageParser>(
      settings.consumerThreads, memory_.bins, writer_,
      [this] { return newest_.load(std::memory_order_acquire); },
      [this](const Page &page) {
        parsed_[page.bin].store((page.number + 1) * memory_.pageBytes, std::memory_order_release);
        source_->release(page);
        ++handled_;
      });
  source_ = std::make_unique<PageSource>(
      driver_, memory_,
      [this](const Page &page) {
        ++handedOn_;
        parser_->page(page);
      },
      [this] { parser_->wake(); });
  mover_ = std::thread([this] { movePages(); });
  keeper_ = std::thread([this] { keepWatch(); });
}

/// Who sleeps is woken without the lock, which it would only wait for.
void DeviceQueue::open(Open launch) {
  std::unique_lock lock(mutex_);
  const auto number = static_cast<std::uint64_t>(launch.id);
  // Records tell launches apart by the low bits of their number.
  changed_.wait(lock, [&] {
    return open_.empty() || std::max(newest_.load(), number) -
                                    std::min(static_cast<std::uint64_t>(open_.begin()->first), number) <
                                abi::kLaunchTags - 1;
  });
  const bool isFirst = open_.empty(), leavesPages = launch.leavesPages();
  recorded_ += leavesPages;
  open_.emplace(launch.id, std::move(launch));
  newest_ = std::max(newest_.load(), number);
  lock.unlock();
  if (isFirst)
    changed_.notify_all();
  if (leavesPages)
    recording_.notify_one();
}

std::optional<DeviceQueue::Open> DeviceQueue::takeOpen(trace::LaunchId id) {
  auto launch = open_.extract(id);
  if (!launch)
    return std::nullopt;
  recorded_ -= launch.mapped().leavesPages();
  return std::move(launch.mapped());
}

void DeviceQueue::close(trace::LaunchEnd end, bool isOver) {
  end.time = clock_();
  end.recordWords = writer_.recordWords(end.id);
  end.evictedPages = parser_->takeEvictedPages(end.id);
  writer_.launchEnd(end);
  const std::scoped_lock lock(mutex_);
  const std::optional<Open> launch = takeOpen(end.id);
  if (launch && isOver) { // else a kernel may still write there
    const Tally &tally = launch->tally;
    if (tally.words)
      tallies_.give(tally.array);
    if (tally.memory)
      memorySeen_.give(tally.memory);
  }
  changed_.notify_all();
}

DeviceQueue::Tally DeviceQueue::takeTally(std::uint64_t words) {
  const auto count = static_cast<unsigned>(words);
  assert(count == words && "grids and modules are smaller");
  const LaunchTallies::Array array = tallies_.take(count);
  return {array, array.device ? count : 0, std::nullopt, {}, {}};
}

DeviceQueue::Tally DeviceQueue::tallyOfSites(unsigned sites) { return sites ? takeTally(sites) : Tally{}; }

DeviceQueue::Tally DeviceQueue::tallyOfBlocks(std::uint64_t blocks, std::uint32_t blockSite, CUstream stream,
                                              std::span<const MemoryRegion> memory,
                                              const std::vector<std::uint32_t> &placeSites) {
  if (!memory.empty() && mayBeWaitedFor(stream))
    return {};
  Tally tally = takeTally(abi::tallyOfBlocks(blocks) + placeSites.size());
  tally.blockSite = blockSite;
  tally.placeSites = placeSites;
  if (!tally.words || memory.empty())
    return tally;
  tally.memory = memorySeen_.begin(stream, memory);
  if (!tally.memory) {
    tallies_.give(tally.array);
    return {};
  }
  return tally;
}

/// A kernel may wait for what one in another stream writes, and leave room on the device for that one, but not for those that look at
/// its memory. Kernels whose accesses are derived wait for nobody: data does not decide how long they run.
bool DeviceQueue::mayBeWaitedFor(CUstream stream) {
  const std::scoped_lock lock(mutex_);
  return std::ranges::any_of(open_, [&](const auto &launch) {
    return launch.second.stream != stream && !launch.second.tally.blockSite;
  });
}

DeviceQueue::Open DeviceQueue::openLaunch(trace::LaunchId id) {
  const std::scoped_lock lock(mutex_);
  const auto launch = open_.find(id);
  return launch == open_.end() ? Open{} : launch->second;
}

/// What the close kernel of a launch has found; none: nothing is counted.
std::optional<std::vector<trace::SiteCount>> DeviceQueue::countsOf(trace::LaunchId id) {
  const Tally tally = openLaunch(id).tally;
  if (tally.words == 0 || tally.blockSite)
    return std::nullopt;
  return siteCounts({tally.array.host, tally.words});
}

/// The blocks that the close kernel has found to have begun. They have a channel of their own.
void DeviceQueue::writeBlocks(trace::LaunchId id, const Tally &tally) {
  if (tally.words && tally.blockSite)
    writeBegunBlocks(writer_, id, memory_.bins, *tally.blockSite, tally.placeSites,
                     {tally.array.host, tally.words});
}

/// Of a launch that is over, and whose pieces are with the store.
void DeviceQueue::nameSnapshots(trace::LaunchEnd &end, const Open &launch) {
  if (launch.outcome) {
    end.reason = launch.outcome->reason;
    end.complete = !launch.outcome->recordsLost;
  }
  if (!launch.tally.memory || launch.outcome || !end.complete)
    return;
  std::vector<MemoryRegion> regions;
  for (const DeviceSnapshots::Pending::Part &part : launch.tally.memory.parts)
    regions.push_back(part.region);
  if (launch.isMemorySeen)
    return snapshots_.name(end, regions, memorySeen_.result(launch.tally.memory));
  end.complete = false;
  end.reason = "the memory that its accesses follow from could not be looked at behind it";
}

/// What the ring holds goes to threads that write it: the device may wait for its room.
void DeviceQueue::takePiece(const PieceDigest &digest, const void *bytes, std::size_t size) {
  const std::uint64_t number = pieces_++;
  {
    const std::scoped_lock lock(piecesMutex_);
    piecesInWork_.insert(number);
  }
  const auto *const from = static_cast<const std::byte *>(bytes);
  ++handedOn_;
  parser_->task([this, number, digest, piece = std::vector<std::byte>(from, from + size)] {
    snapshots_.put(digest, piece);
    {
      const std::scoped_lock lock(piecesMutex_);
      piecesInWork_.erase(number);
    }
    ++handled_;
  });
}

bool DeviceQueue::takePieces() {
  {
    const std::scoped_lock lock(piecesMutex_);
    if (piecesInWork_.size() > kMostPiecesInWork)
      return false;
  }
  return memorySeen_.drain();
}

/// Whether those below this number are with the store.
bool DeviceQueue::areStored(std::uint64_t pieces) {
  const std::scoped_lock lock(piecesMutex_);
  return piecesInWork_.empty() || *piecesInWork_.begin() >= pieces;
}

/// The close kernel comes behind the user's, in a stream of ours: the user's stream need not wait for it.
CUresult DeviceQueue::launchClose(CUstream stream, Trace argument, unsigned long long *noted) {
  const std::scoped_lock lock(closeMutex_);
  if (const CUresult result = driver_.cuEventRecord(kernelDone_, stream))
    return result;
  if (const CUresult result = driver_.cuStreamWaitEvent(closeStream_, kernelDone_, 0))
    return result;
  return launchCloseIn(closeStream_, argument, noted);
}

CUresult DeviceQueue::launchCloseIn(CUstream stream, Trace argument, unsigned long long *noted) {
  unsigned mask = kLaunchEnds - 1;
  void *parameters[] = {&argument, &memory_.ends, &memory_.positions, &memory_.taken, &memory_.tickets,
                        &mask,     &noted};
  return driver_.cuLaunchKernel(close_, 1, 1, 1, 128, 1, 1, 0, stream, parameters, nullptr);
}

Trace DeviceQueue::argumentOf(trace::LaunchId id, const Tally &tally) const {
  Trace argument = memory_.argument;
  argument.launch = static_cast<std::uint64_t>(id);
  argument.tally = tally.array.device;
  argument.tallyWords = tally.words;
  argument.special |= tally.words && !tally.blockSite ? argument::kTraceCounts : 0;
  return argument;
}

void DeviceQueue::launch(CUstream stream, trace::LaunchId id, const std::string &kernel, const Tally &tally,
                         const std::function<Outcome(const Trace &)> &launchKernel) {
  Prepared prepared = prepare(stream, id, kernel, tally);
  try {
    launched(stream, prepared, launchKernel(prepared.argument));
  } catch (...) { // memory: its end, which nobody tells any more, must not be waited for
    const std::scoped_lock lock(mutex_);
    takeOpen(id);
    changed_.notify_all();
    throw;
  }
}

DeviceQueue::Prepared DeviceQueue::prepare(CUstream stream, trace::LaunchId id, const std::string &kernel,
                                           const Tally &tally) {
  Prepared prepared;
  prepared.argument = argumentOf(id, tally);
  prepared.noted_ = tally.array.host;
  prepared.memory_ = tally.memory;
  Open launch{id, kernel, tally, stream, true, false, std::nullopt};
  // It may fill the queue, or the ring of what memory holds, and these must be emptied while it runs. To wake those who do that
  // takes the host microseconds, which a launch that needs nobody need not wait for.
  if (tally.needsNobody())
    prepared.unopened_ = std::move(launch);
  else
    open(std::move(launch));
  return prepared;
}

/// A kernel was not launched, but what looks at its memory was, and may wait for the host: the launch stays open until that is over.
bool DeviceQueue::staysOpen(CUstream stream, const Prepared &prepared, const Outcome &outcome) {
  if (!prepared.memory_)
    return false;
  {
    const std::scoped_lock lock(mutex_);
    open_.at(trace::LaunchId{prepared.argument.launch}).outcome = outcome;
  }
  return launchClose(stream, prepared.argument, prepared.noted_) == CUDA_SUCCESS;
}

/// Behind a kernel that has been launched.
void DeviceQueue::seeMemory(CUstream stream, const Prepared &prepared) {
  if (!prepared.memory_ || memorySeen_.finish(stream, prepared.memory_))
    return;
  const std::scoped_lock lock(mutex_);
  open_.at(trace::LaunchId{prepared.argument.launch}).isMemorySeen = false;
}

void DeviceQueue::launched(CUstream stream, Prepared &prepared, Outcome outcome) {
  if (prepared.unopened_)
    open(*std::exchange(prepared.unopened_, std::nullopt));
  if (!outcome.reason.empty() && staysOpen(stream, prepared, outcome))
    return;
  const Trace &argument = prepared.argument;
  trace::LaunchEnd end;
  end.id = trace::LaunchId{argument.launch};
  end.reason = std::move(outcome.reason);
  end.complete = !outcome.recordsLost; // a launch that failed has made no record
  const bool isOver = !end.reason.empty() && !outcome.recordsLost;
  if (isOver && argument.special & argument::kTraceCounts)
    end.siteCounts.emplace();
  if (end.reason.empty()) {
    seeMemory(stream, prepared);
    const CUresult result = launchClose(stream, argument, prepared.noted_);
    if (result == CUDA_SUCCESS)
      return;
    end.complete = false;
    end.reason = fmt::format("the close kernel could not be launched: {}", driverErrorName(result));
  }
  close(std::move(end), isOver);
}

bool DeviceQueue::waitForWork() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return stopping_ || !open_.empty(); });
  return !open_.empty();
}

bool DeviceQueue::waitForPages() {
  std::unique_lock lock(mutex_);
  recording_.wait(lock, [&] { return stopping_ || recorded_ != 0; });
  return recorded_ != 0;
}

void DeviceQueue::movePages() {
  const OwnThread own;
  driver_.cuCtxSetCurrent(context_);
  const RelaxedCapture relaxed(driver_);
  Patience patience;
  while (waitForPages()) {
    while (source_->advance() || source_->isCopying())
      patience.reset();
    patience.wait();
  }
}

void DeviceQueue::keepWatch() {
  const OwnThread own;
  Patience patience;
  while (waitForWork()) {
    bool any = takeEnds();
    any |= endLaunches();
    any |= takePieces();
    any |= source_->takeWithoutDriver();
    if (any)
      patience.reset();
    else if (!source_->failure().empty())
      abandonOpenLaunches();
    else
      patience.wait();
    warnIfStuck(any);
  }
}

void DeviceQueue::warnIfStuck(bool isMoving) {
  const auto now = std::chrono::steady_clock::now();
  const std::uint64_t progress = handled_ + newest_;
  if (isMoving || progress != lastProgress_) {
    lastProgress_ = progress;
    lastMove_ = now;
    hasWarned_ = false;
  }
  if (hasWarned_ || patience_.count() == 0 || now - lastMove_ < patience_)
    return;
  hasWarned_ = true;
  std::string launches;
  std::size_t count = 0;
  {
    const std::scoped_lock lock(mutex_);
    count = open_.size();
    if (count)
      launches = fmt::format("launch {} ({})", static_cast<std::uint64_t>(open_.begin()->first),
                             open_.begin()->second.kernel);
  }
  if (count > 1)
    launches += fmt::format(" and {} behind it", count - 1);
  const std::string bins = source_->fullBins();
  message("no records and no end of a launch for {} s: {} still runs or waits to; {}", patience_.count(),
          launches,
          bins.empty()
              ? "no part of the record buffer is full, so it is the program that waits or computes without "
                "accesses (CUPR_WATCHDOG=0 silences this)"
              : "full are the record buffer's bins " + bins + ", whose warps wait for this process");
}

/// Takes what close kernels have written.
bool DeviceQueue::takeEnds() {
  bool any = false;
  while (true) {
    const std::size_t entry = ended_ & (kLaunchEnds - 1);
    // Matched by the close kernel's release store.
    if (std::atomic_ref(memory_.ends[entry].ticket).load(std::memory_order_acquire) != ended_ + 1)
      return any;
    Ending ending;
    const std::uint64_t number = memory_.ends[entry].launch;
    ending.isCutOff = (number & kCutOffBit) != 0;
    ending.end.id = trace::LaunchId{number & ~kCutOffBit};
    assert((number & ~kCutOffBit) <= newest_ && "a launch is opened before it runs");
    ending.end.complete = true;
    ending.end.waits = memory_.ends[entry].waits;
    ending.end.siteCounts = countsOf(ending.end.id);
    if ((ending.end.dropped = memory_.ends[entry].drops)) {
      ending.end.complete = false;
      ending.end.reason = "the record buffer was full, and accesses were dropped (CUPR_FULL)";
    }
    deviceClock_.seen(memory_.ends[entry].ended, clock_());
    ending.end.ended = deviceClock_.hostTime(memory_.ends[entry].ended);
    if (memory_.ends[entry].began)
      ending.end.began = deviceClock_.hostTime(memory_.ends[entry].began);
    const unsigned long long *const positions = memory_.positions + entry * memory_.bins;
    ending.positions.assign(positions, positions + memory_.bins);
    memorySeen_.drain(); // all that the launch needs has been published before its end
    ending.pieces = pieces_;
    takeEnd(std::move(ending));
    ++ended_;
    std::atomic_ref(*memory_.taken).store(ended_, std::memory_order_release);
    any = true;
  }
}

/// Most of a launch's records may not have been written yet, when all have been parsed: each bin's wait for more of them.
/// Then as many threads write them as have work with it, each some of the bins'; the last one ends the launch.
void DeviceQueue::endLaunch(const trace::LaunchEnd &end) {
  const auto parts = static_cast<unsigned>(
      std::clamp<std::uint64_t>(writer_.recordWords(end.id) / trace::kChunkWords, 1, parser_->threads()));
  const auto left = std::make_shared<std::atomic<unsigned>>(parts);
  for (unsigned part = 0; part < parts; ++part) {
    ++handedOn_;
    parser_->task([this, end, left, part, parts] {
      if (parts > 1)
        writer_.flushChannels(end.id, memory_.bins * part / parts, memory_.bins * (part + 1) / parts);
      if (--*left == 0) {
        trace::LaunchEnd said = end;
        const Open launch = openLaunch(end.id);
        nameSnapshots(said, launch);
        writeBlocks(end.id, launch.tally);
        close(std::move(said), /*isOver=*/true);
      }
      ++handled_;
    });
  }
}

/// Ends the launches of which all records have been parsed.
bool DeviceQueue::endLaunches() {
  bool any = false;
  for (auto ending = endings_.begin(); ending != endings_.end();) {
    while (ending->bin < memory_.bins &&
           parsed_[ending->bin].load(std::memory_order_acquire) >= ending->positions[ending->bin])
      ++ending->bin;
    if (ending->bin < memory_.bins || !areStored(ending->pieces) ||
        (ending->isCutOff && handled_ != handedOn_)) {
      ++ending;
      continue;
    }
    endLaunch(ending->end);
    ending = endings_.erase(ending);
    any = true;
  }
  return any;
}

/// After a failure of the GPU: nothing comes any more, except what has been handed to the parser.
void DeviceQueue::abandonOpenLaunches() {
  Patience patience;
  while (handled_ != handedOn_)
    patience.wait();
  if (takeEnds() || endLaunches())
    return; // they are being written
  std::vector<trace::LaunchId> open;
  std::set<std::uint64_t> tags;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto &[id, launch] : open_) {
      open.push_back(id);
      tags.insert(static_cast<std::uint64_t>(id) % abi::kLaunchTags);
    }
  }
  if (source_->takeOpenPages(tags))
    return; // they are being parsed
  endings_.clear();
  cutOff_.clear();
  const PageSource::Loss loss = source_->loss();
  std::string reason = source_->failure();
  if (loss.pages)
    reason +=
        fmt::format("; {} bytes of records in {} pages could not be copied from it", loss.bytes, loss.pages);
  if (memory_.hostPages)
    reason += "; of the records in pages that were not full, those are there that had arrived in host memory";
  else
    reason += fmt::format(
        "; lost are also the records in pages that were not full, at most {} bytes of all launches "
        "(CUPR_BINS=host keeps most)",
        memory_.bins * memory_.pageBytes);
  for (const trace::LaunchId id : open) {
    trace::LaunchEnd end;
    end.id = id;
    end.reason = reason;
    close(std::move(end), /*isOver=*/false);
  }
}

bool DeviceQueue::isBusy() {
  const std::scoped_lock lock(mutex_);
  return !open_.empty();
}

void DeviceQueue::flush() {
  std::unique_lock lock(mutex_);
  std::vector<trace::LaunchId> waited;
  for (const auto &[id, launch] : open_)
    waited.push_back(id);
  const auto areOver = [&] {
    return std::none_of(waited.begin(), waited.end(), [&](trace::LaunchId id) { return open_.contains(id); });
  };
  for (const auto end = std::chrono::steady_clock::now() + kAwake;
       !areOver() && std::chrono::steady_clock::now() < end;) {
    lock.unlock();
    std::this_thread::yield();
    lock.lock();
  }
  changed_.wait(lock, areOver);
}

void DeviceQueue::finish() {
  {
    std::unique_lock lock(mutex_);
    if (stopping_)
      return;
    stopping_ = true;
    changed_.notify_all();
    recording_.notify_all();
  }
  // Of a queue that there was no memory for, or no thread, not all has been started.
  if (keeper_.joinable())
    awaitLaunches();
  if (mover_.joinable())
    mover_.join();
  if (keeper_.joinable())
    keeper_.join();
  if (parser_)
    parser_->stop();
}

DeviceQueue::~DeviceQueue() { finish(); }

} // namespace cupr::host
