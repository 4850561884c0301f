/// A channel: the queue of one stream on a GPU (abi/queue.h), with the threads that
/// empty it.
///
/// The buffers lie in pinned host memory, the counters in device memory. Reading
/// needs no driver call, so it can't be held up by the program's own work on the
/// GPU, and what has been published survives a device trap.
///
/// Threads: `launch` from any thread; launches of one stream are serialised, since the close kernel must
/// directly follow the kernel whose pages it seals. The consumer threads sleep
/// while no launch is open, and poll the pages while one is. Each has a share of the bins; the first
/// also ends launches, for which it takes the rest out of every share.
#ifndef CUPR_RUNTIME_CHANNEL_H
#define CUPR_RUNTIME_CHANNEL_H

#include "devicelib/abi/queue.h"
#include "devicelib/abi/trace_argument.h"
#include "driver.h"
#include "hostlib/trace/writer.h"
#include "settings.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace cupr::host {

class Channel {
public:
  /// Makes a channel in the current context. Returns null, and why, when there is not enough
  /// memory.
  static std::unique_ptr<Channel> create(const Driver &driver, const Settings &settings,
                                         trace::Writer &writer, std::function<std::uint64_t()> clock,
                                         std::string &reason);
  ~Channel();

  struct Outcome {
    std::string reason; ///< why nothing is recorded; empty: all is well
    bool recordsLost;   ///< the kernel runs all the same
  };
  /// Launches a kernel and, behind it, the close kernel. `launchKernel` gets the trace argument for
  /// this launch.
  void launch(CUstream stream, trace::LaunchId id, const std::function<Outcome(const Trace &)> &launchKernel);

  /// Waits until every launch has ended and its records are written, or the GPU has
  /// failed; then stops the consumer. Launches that did not end are closed as
  /// incomplete with the reason. Idempotent.
  void finish();

private:
  Channel(const Driver &driver, trace::Writer &writer, std::function<std::uint64_t()> clock);
  bool allocate(const Settings &settings, std::string &reason);
  /// The bins that one thread empties. The mutex keeps a bin's pages in order when a launch ends.
  struct Share {
    std::mutex mutex;
    unsigned firstBin, stride;
  };
  void consume(Share &share, bool endsLaunches);
  bool drain(Share &share);
  bool drainAll();
  bool takeEnds();
  void abandonOpenLaunches(const std::string &reason);
  bool gpuFailed(std::string &reason);

  const Driver &driver_;
  trace::Writer &writer_;
  std::function<std::uint64_t()> clock_;
  CUcontext context_ = nullptr;

  // The shape of the queue; `argument_` is the trace argument but for the launch.
  Trace argument_{};
  unsigned binCount_ = 0, pagesPerBin_ = 0;
  unsigned char *host_ = nullptr; ///< one pinned block: pages, published, freed, ends, taken
  std::uint32_t *published_ = nullptr;
  std::uint64_t *freed_ = nullptr;
  abi::LaunchEnd *ends_ = nullptr;
  std::uint64_t *taken_ = nullptr;
  CUdeviceptr counters_ = 0;
  CUfunction close_ = nullptr;
  CUevent lastClose_ = nullptr;

  std::vector<std::uint64_t> nextPage_; ///< per bin: the number of the page to read next

  std::mutex launchMutex_; ///< held over a launch and its close kernel
  std::uint64_t launched_ = 0;

  std::mutex mutex_; ///< guards what follows
  std::condition_variable wake_;
  std::vector<trace::LaunchId> open_;
  bool stopping_ = false;
  bool stopped_ = false;
  std::uint64_t ended_ = 0; ///< first consumer only
  std::vector<std::unique_ptr<Share>> shares_;
  std::vector<std::thread> consumers_;
};

} // namespace cupr::host

#endif
