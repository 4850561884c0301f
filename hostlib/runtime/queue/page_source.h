/// Takes published pages out of a device's queue, in the order of each bin, and hands them on.
///
/// Pages in host memory are handed on where they lie. Pages in device memory are copied to a staging block
/// first, by the copy engine, from a thread that does nothing else: a driver call may have to wait for the
/// program's own work, even for the kernel that waits for a free page. A second thread, which makes no driver
/// call, notices when copying is stuck and asks the device to bring pages itself (abi/queue.h, "Evict").
///
/// A bin's pages are taken by whoever has the next one; the copy of a page that the other way has
/// brought already is dropped.
#ifndef CUPR_RUNTIME_PAGE_SOURCE_H
#define CUPR_RUNTIME_PAGE_SOURCE_H

#include "page_parser.h"
#include "queue_memory.h"

#include <atomic>
#include <chrono>
#include <deque>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace cupr::host {

class PageSource {
public:
  /// In the device's context. `sink` gets each page once; `given` is called when it has got some, and no more
  /// follow at once.
  PageSource(const Driver &driver, const QueueMemory &memory, std::function<void(const Page &)> sink,
             std::function<void()> given);

  /// Issues and completes copies, and notices when the GPU has failed. One thread. Returns whether there was
  /// anything to do.
  bool advance();
  /// Whether `advance` has work in hand whose end it must notice.
  bool isCopying() const { return !batches_.empty(); }

  /// Hands on what can be had without the driver. One thread, another than that of `advance`. Returns whether
  /// a page has come.
  bool takeWithoutDriver();

  /// The page isn't needed any more. Any thread.
  void release(const Page &page);

  /// The bins in which every page waits to be taken, as `0, 5-7`, for messages.
  std::string fullBins();
  /// Why nothing can be copied from the device any more; empty: all is well.
  std::string failure() const;
  /// From now on nothing is handed on that lies behind these positions, by bin, at which pages begin.
  void stopAt(const std::vector<std::uint64_t> &positions);
  /// Takes the GPU for one that has failed, and hands on nothing more.
  void giveUp(std::string why);
  /// After a failure, once: hands on what has arrived of launches with these tags in pages that were not full, where these lie in host memory. Returns whether there is
  /// any.
  bool takeOpenPages(const std::set<std::uint64_t> &tags);
  /// After a failure: pages that were published and never taken, and their bytes.
  struct Loss {
    std::uint64_t pages = 0, bytes = 0;
  };
  Loss loss();

private:
  using Clock = std::chrono::steady_clock;
  struct Copying {
    unsigned bin;
    std::uint64_t number;
    std::uint32_t bytes;
    unsigned block;
  };
  struct Batch {
    CUevent event;
    std::vector<Copying> pages;
  };

  bool handOnHostPages();
  bool evictIfStuck();
  void noticeFailure();
  bool issueCopies();
  CUresult copy(const std::vector<Copying> &pages);
  bool completeCopies();
  enum class Way { Copy, Eviction };
  bool take(unsigned bin, std::uint64_t number, std::uint32_t bytes, unsigned block, Way way);
  bool takeBlock(unsigned &block, Way way);
  void giveBlock(unsigned block);
  unsigned char *blockAddress(unsigned block) const { return memory_.staging + block * memory_.pageBytes; }
  void fail(CUresult result);
  void fail(std::string why);

  const Driver &driver_;
  const QueueMemory &memory_;
  const std::function<void(const Page &)> sink_;
  const std::function<void()> given_;

  // The copying thread's.
  CUstream stream_ = nullptr;
  std::vector<CUevent> events_;
  std::deque<Batch> batches_;
  std::vector<std::uint64_t> issued_; ///< per bin: the number of the page to copy next
  unsigned firstBin_ = 0;

  /// When the copying thread last started something that has not come to its end; 0: it has nothing in hand.
  std::atomic<Clock::rep> busySince_{0};
  std::atomic<bool> failed_{false}, givenUp_{false};
  std::vector<std::uint64_t>
      asked_; ///< per bin: number + 1 of the page that the device was asked for; the second thread's

  mutable std::mutex mutex_;        ///< guards what follows
  std::vector<std::uint64_t> next_; ///< per bin: the number of the page to take next
  std::vector<std::uint64_t> last_; ///< per bin: the number of the first page that is not to be taken
  std::vector<unsigned> blocks_;    ///< free ones
  std::string failure_;

  std::deque<std::vector<unsigned char>> arrived_; ///< of open pages; the second thread's
  bool hasTakenOpen_ = false;
};

} // namespace cupr::host

#endif
