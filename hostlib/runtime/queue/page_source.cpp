#include "page_source.h"

#include "hostlib/runtime/driver/message.h"
#include "open_page.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace cupr::host {
namespace {

/// Pages that are copied with one event behind them, and batches under way; together the staging memory. With
/// half as many batches, each of twice the size, divergent records left at 37 GB/s instead of 42 (H100, medians).
constexpr std::size_t kBatchPages = 64, kBatches = 8;
/// Copying that has not got on for so long is stuck.
constexpr std::chrono::milliseconds kStuck{20};

} // namespace

PageSource::PageSource(const Driver &driver, const QueueMemory &memory,
                       std::function<void(const Page &)> sink, std::function<void()> given)
    : driver_(driver), memory_(memory), sink_(std::move(sink)), given_(std::move(given)),
      issued_(memory.bins, 0), asked_(memory.bins, 0), next_(memory.bins, 0), last_(memory.bins, UINT64_MAX) {
  for (unsigned block = 0; block < memory.stagingBlocks; ++block)
    blocks_.push_back(block);
  // Now, while no kernel can be in the way.
  int least = 0, greatest = 0;
  driver_.cuCtxGetStreamPriorityRange(&least, &greatest);
  if (const CUresult result = driver_.cuStreamCreateWithPriority(&stream_, CU_STREAM_NON_BLOCKING, greatest))
    fail(result);
}

bool PageSource::advance() {
  if (failed_)
    return false;
  if (memory_.hostPages) {
    noticeFailure();
    return false;
  }
  const auto now = [] { return Clock::now().time_since_epoch().count(); };
  if (batches_.empty())
    busySince_ = now();
  const bool issued = issueCopies();
  const bool completed = completeCopies();
  if (batches_.empty())
    busySince_ = 0;
  else if (completed)
    busySince_ = now();
  return issued || completed;
}

/// A stream without work tells of nothing but failures, of whatever the GPU did.
void PageSource::noticeFailure() {
  if (const CUresult result = driver_.cuStreamQuery(stream_); result != CUDA_SUCCESS)
    fail(result);
}

bool PageSource::takeWithoutDriver() {
  if (givenUp_)
    return false;
  if (memory_.isBroken()) {
    fail("the record buffer came into a state that can't be (a fault of cuprewrite's)");
    memory_.letAllPass(); // again and again: what is parsed now still frees its page
    return false;
  }
  const bool any = memory_.hostPages ? handOnHostPages() : evictIfStuck();
  if (any)
    given_();
  return any;
}

bool PageSource::handOnHostPages() {
  bool any = false;
  for (unsigned bin = 0; bin < memory_.bins; ++bin)
    while (const std::uint32_t bytes =
               next_[bin] < last_[bin] ? memory_.publishedBytes(bin, next_[bin]) : 0) {
      sink_({bin, next_[bin], memory_.hostPage(bin, next_[bin]), bytes});
      ++next_[bin];
      any = true;
    }
  return any;
}

bool PageSource::issueCopies() {
  if (batches_.size() >= kBatches)
    return false;
  Batch batch{nullptr, {}};
  for (unsigned i = 0; i < memory_.bins && batch.pages.size() < kBatchPages; ++i) {
    const unsigned bin = (firstBin_ + i) % memory_.bins;
    {
      const std::scoped_lock lock(mutex_);
      issued_[bin] = std::max(issued_[bin], next_[bin]);
    }
    Copying page{bin, issued_[bin], memory_.publishedBytes(bin, issued_[bin]), 0};
    while (page.bytes && batch.pages.size() < kBatchPages && takeBlock(page.block, Way::Copy)) {
      batch.pages.push_back(page);
      page.number = ++issued_[bin];
      page.bytes = memory_.publishedBytes(bin, page.number);
    }
  }
  firstBin_ = (firstBin_ + 1) % memory_.bins;
  if (batch.pages.empty())
    return false;
  CUresult result = copy(batch.pages);
  if (result != CUDA_SUCCESS) {
    fail(result);
    return false;
  }
  if (events_.empty())
    result = driver_.cuEventCreate(&batch.event, CU_EVENT_DISABLE_TIMING);
  else {
    batch.event = events_.back();
    events_.pop_back();
  }
  if (result == CUDA_SUCCESS)
    result = driver_.cuEventRecord(batch.event, stream_);
  if (result != CUDA_SUCCESS) {
    fail(result);
    return false;
  }
  batches_.push_back(std::move(batch));
  return true;
}

/// One call for all: a call per page would take longer than the copies.
CUresult PageSource::copy(const std::vector<Copying> &pages) {
  std::vector<CUdeviceptr> to, from;
  std::vector<std::size_t> sizes;
  for (const Copying &page : pages) {
    to.push_back(reinterpret_cast<CUdeviceptr>(blockAddress(page.block)));
    from.push_back(memory_.devicePage(page.bin, page.number));
    sizes.push_back(page.bytes);
  }
  CUmemcpyAttributes attributes{};
  attributes.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
  attributes.flags = CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE;
  std::size_t first = 0;
  return driver_.cuMemcpyBatchAsync(to.data(), from.data(), sizes.data(), pages.size(), &attributes, &first,
                                    1, stream_);
}

bool PageSource::completeCopies() {
  bool any = false;
  while (!batches_.empty()) {
    const CUresult result = driver_.cuEventQuery(batches_.front().event);
    if (result == CUDA_ERROR_NOT_READY)
      break;
    if (result != CUDA_SUCCESS) {
      fail(result);
      break;
    }
    for (const Copying &page : batches_.front().pages)
      if (!take(page.bin, page.number, page.bytes, page.block, Way::Copy))
        giveBlock(page.block);
    events_.push_back(batches_.front().event);
    batches_.pop_front();
    any = true;
  }
  if (any)
    given_();
  if (!any && batches_.empty())
    noticeFailure();
  return any;
}

/// Hands a page in a staging block on, if it is the next of its bin, and frees its place in the queue.
bool PageSource::take(unsigned bin, std::uint64_t number, std::uint32_t bytes, unsigned block, Way way) {
  const std::scoped_lock lock(mutex_);
  if (next_[bin] != number || number >= last_[bin])
    return false;
  next_[bin] = number + 1;
  sink_({bin, number, blockAddress(block), bytes, way == Way::Eviction});
  // Matched by the device's acquire load (abi/bin_writer.h, askHost): the page may be written again.
  std::atomic_ref(memory_.hostBins[bin].freed)
      .store((number + 1) * memory_.pageBytes, std::memory_order_release);
  return true;
}

bool PageSource::evictIfStuck() {
  if (failed_)
    return false;
  const Clock::rep since = busySince_;
  if (since == 0 || Clock::now().time_since_epoch() - Clock::duration(since) < kStuck)
    return false;
  bool any = false;
  for (unsigned bin = 0; bin < memory_.bins; ++bin) {
    std::uint64_t number;
    {
      const std::scoped_lock lock(mutex_);
      number = next_[bin];
    }
    const std::uint32_t bytes = memory_.publishedBytes(bin, number);
    if (!bytes)
      continue;
    // Matched by the device's release store (abi/bin_writer.h, evict).
    const std::uint64_t evicted = std::atomic_ref(memory_.evicted[bin]).load(std::memory_order_acquire);
    if (evicted != asked_[bin]) // the place may be in use
      continue;
    if (evicted != number + 1) {
      asked_[bin] = number + 1;
      std::atomic_ref(memory_.hostBins[bin].evict).store(number + 1, std::memory_order_release);
      continue;
    }
    unsigned block;
    if (!takeBlock(block, Way::Eviction))
      continue;
    std::memcpy(blockAddress(block), memory_.evictions + bin * memory_.pageBytes, bytes);
    if (take(bin, number, bytes, block, Way::Eviction))
      any = true;
    else
      giveBlock(block);
  }
  return any;
}

/// The last one is for evictions: copies that are stuck could hold all others.
bool PageSource::takeBlock(unsigned &block, Way way) {
  const std::scoped_lock lock(mutex_);
  if (blocks_.size() <= (way == Way::Copy ? 1u : 0u))
    return false;
  block = blocks_.back();
  blocks_.pop_back();
  return true;
}

void PageSource::giveBlock(unsigned block) {
  const std::scoped_lock lock(mutex_);
  blocks_.push_back(block);
}

void PageSource::release(const Page &page) {
  if (memory_.hostPages) {
    std::memset(memory_.hostPages + (page.words - memory_.hostPages), 0, page.bytes); // see open_page.h
    std::atomic_ref(memory_.hostBins[page.bin].freed)
        .store((page.number + 1) * memory_.pageBytes, std::memory_order_release);
  } else
    giveBlock(static_cast<unsigned>((page.words - memory_.staging) / memory_.pageBytes));
}

void PageSource::stopAt(const std::vector<std::uint64_t> &positions) {
  const std::scoped_lock lock(mutex_);
  for (unsigned bin = 0; bin < memory_.bins; ++bin)
    last_[bin] = positions[bin] / memory_.pageBytes;
}

void PageSource::giveUp(std::string why) {
  fail(std::move(why));
  givenUp_ = true;
}

void PageSource::fail(CUresult result) {
  fail(fmt::format("the GPU stopped with {}", driverErrorName(result)));
}

void PageSource::fail(std::string why) {
  const std::scoped_lock lock(mutex_);
  if (failure_.empty())
    failure_ = std::move(why);
  failed_ = true;
}

std::string PageSource::failure() const {
  const std::scoped_lock lock(mutex_);
  return failure_;
}

std::string PageSource::fullBins() {
  const std::scoped_lock lock(mutex_);
  const auto isFull = [&](unsigned bin) {
    return memory_.publishedBytes(bin, next_[bin] + memory_.pagesPerBin - 1) != 0;
  };
  std::string text;
  for (unsigned bin = 0; bin < memory_.bins; ++bin) {
    if (!isFull(bin))
      continue;
    unsigned last = bin;
    while (last + 1 < memory_.bins && isFull(last + 1))
      ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", bin);
    if (last != bin)
      text += fmt::format("-{}", last);
    bin = last;
  }
  return text;
}

bool PageSource::takeOpenPages(const std::set<std::uint64_t> &tags) {
  if (!memory_.hostPages || std::exchange(hasTakenOpen_, true))
    return false;
  const std::size_t before = arrived_.size();
  for (unsigned bin = 0; bin < memory_.bins; ++bin)
    for (unsigned ahead = 0; ahead < memory_.pagesPerBin; ++ahead) {
      const std::uint64_t number = next_[bin];
      std::vector<unsigned char> records =
          arrivedRecords(memory_.hostPage(bin, number), static_cast<std::uint32_t>(memory_.pageBytes), tags);
      if (records.empty())
        break;
      arrived_.push_back(std::move(records));
      sink_({bin, number, arrived_.back().data(), static_cast<std::uint32_t>(arrived_.back().size())});
      ++next_[bin];
    }
  given_();
  return arrived_.size() != before;
}

PageSource::Loss PageSource::loss() {
  const std::scoped_lock lock(mutex_);
  Loss loss;
  for (unsigned bin = 0; bin < memory_.bins; ++bin)
    for (std::uint64_t number = next_[bin]; const std::uint32_t bytes = memory_.publishedBytes(bin, number);
         ++number) {
      ++loss.pages;
      loss.bytes += bytes;
    }
  return loss;
}

} // namespace cupr::host
