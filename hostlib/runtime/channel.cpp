#include "channel.h"

#include "message.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>

extern "C" const char cuprClosePtx[];

namespace cupr::host {
namespace {

constexpr unsigned kEndRing = 1024;
constexpr std::size_t kAlign = 256;

std::size_t aligned(std::size_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }

/// The power of two nearest to the number of multiprocessors (seed 001, section 5.4).
unsigned chooseBins(const Driver &driver) {
  CUdevice device = 0;
  int processors = 128;
  if (driver.cuCtxGetDevice(&device) == CUDA_SUCCESS)
    driver.cuDeviceGetAttribute(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
  const unsigned below = std::bit_floor(static_cast<unsigned>(processors));
  return static_cast<unsigned>(processors) - below > 2 * below - static_cast<unsigned>(processors) ? 2 * below
                                                                                                   : below;
}

/// Lets this thread allocate while some stream is being captured, and puts the mode back.
class RelaxedCapture {
public:
  explicit RelaxedCapture(const Driver &driver) : driver_(driver) { exchange(); }
  ~RelaxedCapture() { exchange(); }
  RelaxedCapture(const RelaxedCapture &) = delete;
  RelaxedCapture &operator=(const RelaxedCapture &) = delete;

private:
  void exchange() { driver_.cuThreadExchangeStreamCaptureMode(&mode_); }
  const Driver &driver_;
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

} // namespace

Channel::Channel(const Driver &driver, trace::Writer &writer, std::function<std::uint64_t()> clock)
    : driver_(driver), writer_(writer), clock_(std::move(clock)) {}

std::unique_ptr<Channel> Channel::create(const Driver &driver, const Settings &settings,
                                         trace::Writer &writer, std::function<std::uint64_t()> clock,
                                         std::string &reason) {
  std::unique_ptr<Channel> channel(new Channel(driver, writer, std::move(clock)));
  const RelaxedCapture relaxed(driver);
  if (!channel->allocate(settings, reason))
    return nullptr;
  for (unsigned i = 0; i < settings.consumerThreads; ++i)
    channel->shares_.emplace_back(new Share{{}, i, settings.consumerThreads});
  for (unsigned i = 0; i < settings.consumerThreads; ++i)
    channel->consumers_.emplace_back(
        [raw = channel.get(), i] { raw->consume(*raw->shares_[i], /*endsLaunches=*/i == 0); });
  return channel;
}

bool Channel::allocate(const Settings &settings, std::string &reason) {
  const auto check = [&](CUresult result, const char *what) {
    if (result != CUDA_SUCCESS)
      reason = fmt::format("{} failed: {}", what, driverErrorName(result));
    return result == CUDA_SUCCESS;
  };
  driver_.cuCtxGetCurrent(&context_);
  binCount_ = chooseBins(driver_);
  const std::size_t pageBytes = std::size_t{1} << settings.pageBytesLog2;
  const std::size_t pages = settings.bufferBytes / pageBytes / binCount_;
  pagesPerBin_ = std::bit_floor(static_cast<unsigned>(std::clamp<std::size_t>(pages, 2, 1u << 15)));
  const std::size_t pageCount = std::size_t{binCount_} * pagesPerBin_;

  const std::size_t pagesBytes = pageCount * pageBytes;
  const std::size_t publishedAt = aligned(pagesBytes);
  const std::size_t freedAt = publishedAt + aligned(pageCount * sizeof(std::uint32_t));
  const std::size_t endsAt = freedAt + aligned(binCount_ * sizeof(std::uint64_t));
  const std::size_t takenAt = endsAt + aligned(kEndRing * sizeof(abi::LaunchEnd));
  const std::size_t hostBytes = takenAt + kAlign;
  void *block = nullptr;
  if (!check(driver_.cuMemHostAlloc(&block, hostBytes, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP),
             "allocating the record buffer in pinned host memory"))
    return false;
  host_ = static_cast<unsigned char *>(block);
  std::memset(host_ + publishedAt, 0, hostBytes - publishedAt);
  published_ = reinterpret_cast<std::uint32_t *>(host_ + publishedAt);
  freed_ = reinterpret_cast<std::uint64_t *>(host_ + freedAt);
  ends_ = reinterpret_cast<abi::LaunchEnd *>(host_ + endsAt);
  taken_ = reinterpret_cast<std::uint64_t *>(host_ + takenAt);

  const std::size_t binsBytes = binCount_ * sizeof(abi::Bin);
  const std::size_t counterBytes = binsBytes + pageCount * sizeof(std::uint32_t);
  if (!check(driver_.cuMemAlloc(&counters_, counterBytes),
             "allocating the queue's counters in device memory"))
    return false;
  std::vector<unsigned char> counters(counterBytes, 0);
  for (unsigned bin = 0; bin < binCount_; ++bin) {
    abi::Bin empty{};
    empty.limit = std::uint64_t{pagesPerBin_} * pageBytes;
    std::memcpy(counters.data() + bin * sizeof empty, &empty, sizeof empty);
  }
  CUstream own = nullptr;
  if (!check(driver_.cuStreamCreate(&own, CU_STREAM_NON_BLOCKING), "creating a stream") ||
      !check(driver_.cuMemcpyHtoDAsync(counters_, counters.data(), counterBytes, own),
             "filling the counters") ||
      !check(driver_.cuStreamSynchronize(own), "filling the counters"))
    return false;

  CUmodule module = nullptr;
  if (!check(driver_.cuModuleLoadData(&module, cuprClosePtx), "loading the close kernel") ||
      !check(driver_.cuModuleGetFunction(&close_, module, "cuprClose"), "finding the close kernel") ||
      !check(driver_.cuEventCreate(&lastClose_, CU_EVENT_DISABLE_TIMING), "creating an event"))
    return false;

  argument_.bins = reinterpret_cast<abi::Bin *>(counters_);
  argument_.commits = reinterpret_cast<std::uint32_t *>(counters_ + binsBytes);
  argument_.pages = host_;
  argument_.published = published_;
  argument_.freed = freed_;
  argument_.binMask = binCount_ - 1;
  argument_.pagesPerBinLog2 = static_cast<std::uint16_t>(std::countr_zero(pagesPerBin_));
  argument_.pageBytesLog2 = static_cast<std::uint16_t>(settings.pageBytesLog2);
  nextPage_.assign(binCount_, 0);
  return true;
}

void Channel::launch(CUstream stream, trace::LaunchId id,
                     const std::function<Outcome(const Trace &)> &launchKernel) {
  const std::scoped_lock launching(launchMutex_);
  Trace argument = argument_;
  argument.launch = static_cast<std::uint64_t>(id);
  {
    // The consumer must be awake before the kernel runs: it may fill the buffer.
    const std::scoped_lock lock(mutex_);
    open_.push_back(id);
    wake_.notify_all();
  }
  trace::LaunchEnd end;
  end.id = id;
  Outcome outcome = launchKernel(argument);
  end.reason = std::move(outcome.reason);
  end.complete = !outcome.recordsLost; // a launch that failed has made no record
  if (end.reason.empty()) {
    std::uint64_t sequence = launched_ + 1;
    unsigned mask = kEndRing - 1;
    void *parameters[] = {&argument, &ends_, &taken_, &mask, &sequence};
    const CUresult result =
        driver_.cuLaunchKernel(close_, 1, 1, 1, 128, 1, 1, 0, stream, parameters, nullptr);
    if (result == CUDA_SUCCESS) {
      launched_ = sequence;
      driver_.cuEventRecord(lastClose_, stream);
      return;
    }
    end.complete = false;
    end.reason = fmt::format("the close kernel could not be launched: {}", driverErrorName(result));
  }
  end.time = clock_();
  const std::scoped_lock lock(mutex_);
  std::erase(open_, id);
  writer_.launchEnd(end);
}

/// Hands every published page of the share to the writer. Returns whether there was one.
bool Channel::drain(Share &share) {
  const std::scoped_lock lock(share.mutex);
  bool any = false;
  const std::size_t pageBytes = std::size_t{1} << argument_.pageBytesLog2;
  for (unsigned bin = share.firstBin; bin < binCount_; bin += share.stride) {
    while (true) {
      const std::uint64_t number = nextPage_[bin];
      const std::size_t slot = std::size_t{bin} * pagesPerBin_ + (number & (pagesPerBin_ - 1));
      // Matched by the device's release store (queue.cuh, commit).
      const std::uint32_t published = std::atomic_ref(published_[slot]).load(std::memory_order_acquire);
      if (published != static_cast<std::uint32_t>(number) + 1)
        break;
      const unsigned char *const page = host_ + slot * pageBytes;
      abi::PageHeader header;
      std::memcpy(&header, page, sizeof header);
      writer_.records(trace::LaunchId{header.launch}, bin, page + sizeof header,
                      pageBytes / abi::kWordBytes - 1);
      nextPage_[bin] = number + 1;
      // Matched by the device's acquire load (queue.cuh, waitForHost): the page may be written again.
      std::atomic_ref(freed_[bin]).store((number + 1) * pageBytes, std::memory_order_release);
      any = true;
    }
  }
  return any;
}

bool Channel::drainAll() {
  bool any = false;
  for (const auto &share : shares_)
    any |= drain(*share);
  return any;
}

/// Ends the launches whose close kernel has run. Its entry was written after all pages of
/// the launch were published, so draining once more takes the last of them.
bool Channel::takeEnds() {
  bool any = false;
  while (true) {
    abi::LaunchEnd &entry = ends_[ended_ & (kEndRing - 1)];
    // Matched by the close kernel's release store.
    if (std::atomic_ref(entry.sequence).load(std::memory_order_acquire) != ended_ + 1)
      return any;
    drainAll();
    trace::LaunchEnd end;
    end.id = trace::LaunchId{entry.launch};
    end.complete = true;
    end.waits = entry.waits;
    end.time = clock_();
    end.recordWords = writer_.recordWords(end.id);
    writer_.launchEnd(end);
    ++ended_;
    std::atomic_ref(*taken_).store(ended_, std::memory_order_release);
    const std::scoped_lock lock(mutex_);
    std::erase(open_, end.id);
    wake_.notify_all(); // a consumer that is to stop waits for this
    any = true;
  }
}

void Channel::consume(Share &share, bool endsLaunches) {
  using namespace std::chrono_literals;
  unsigned idle = 0;
  while (true) {
    const bool drained = drain(share);
    if ((endsLaunches && takeEnds()) || drained) {
      idle = 0;
      continue;
    }
    std::unique_lock lock(mutex_);
    if (open_.empty()) {
      if (stopping_)
        return;
      wake_.wait(lock, [&] { return stopping_ || !open_.empty(); });
      continue;
    }
    if (endsLaunches && stopping_ && idle % 64 == 63) {
      std::string reason;
      if (gpuFailed(reason)) {
        lock.unlock();
        drainAll();
        if (!takeEnds())
          abandonOpenLaunches(reason);
        continue;
      }
    }
    lock.unlock();
    // The GPU can't wake this thread: look again soon, and less often when nothing comes.
    ++idle;
    if (idle < 64)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(idle < 1024 ? 20us : 200us);
  }
}

/// Whether the launches that are still open can never end.
bool Channel::gpuFailed(std::string &reason) {
  driver_.cuCtxSetCurrent(context_);
  const CUresult state = driver_.cuEventQuery(lastClose_);
  if (state == CUDA_ERROR_NOT_READY || state == CUDA_SUCCESS)
    return false;
  reason = fmt::format("the GPU stopped with {}", driverErrorName(state));
  return true;
}

void Channel::abandonOpenLaunches(const std::string &reason) {
  const std::scoped_lock lock(mutex_);
  for (const trace::LaunchId id : open_) {
    trace::LaunchEnd end;
    end.id = id;
    end.reason = reason;
    end.time = clock_();
    end.recordWords = writer_.recordWords(id);
    writer_.launchEnd(end);
  }
  open_.clear();
  wake_.notify_all();
}

void Channel::finish() {
  {
    const std::scoped_lock lock(mutex_);
    if (stopped_)
      return;
    stopping_ = stopped_ = true;
    wake_.notify_all();
  }
  for (std::thread &consumer : consumers_)
    consumer.join();
}

Channel::~Channel() {
  finish();
  // Device memory is not given back: a channel lives as long as its context.
}

} // namespace cupr::host
