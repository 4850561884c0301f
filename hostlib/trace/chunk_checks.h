/// Unpacks and recounts the chunks of a trace on several threads, and gives what they hold in the order of the file.
///
/// Nearly all of the time that it takes to verify a trace goes there. What a chunk adds up to matters only at its launch's
/// end, so the reader of the file goes on meanwhile, as far as kWindow chunks ahead for each thread.
#ifndef CUPR_TRACE_CHUNK_CHECKS_H
#define CUPR_TRACE_CHUNK_CHECKS_H

#include "chunk.h"
#include "recount.h"

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace cupr::trace {

/// All members from one thread. Throws what `done` throws, and std::bad_alloc; nothing is to be asked of it then.
class ChunkChecks {
public:
  struct Result {
    std::string rule; ///< that the chunk breaks; empty: none
    RecordTotals totals;
    SiteAccesses bySite;
  };

  /// `helpers` threads beside the caller; 0: the caller does it all, at once.
  explicit ChunkChecks(unsigned helpers);
  ~ChunkChecks();
  ChunkChecks(const ChunkChecks &) = delete;
  ChunkChecks &operator=(const ChunkChecks &) = delete;

  /// Checks `chunk` of `launch`, whose module has these sites; both must stay until `done` has run. `done` runs in this thread,
  /// behind those of the chunks before it, now or later.
  void check(Chunk chunk, const Launch &launch, std::span<const Site> sites,
             std::function<void(Result &)> done);
  /// Runs `done` behind those of all chunks so far.
  void then(std::function<void()> done);
  /// Runs all that have not run.
  void finish();

private:
  struct Job {
    Chunk chunk;
    const Launch *launch = nullptr; ///< null: there is no chunk
    std::span<const Site> sites;
    Result result;
    std::function<void(Result &)> done;
    std::exception_ptr failure;
    bool isReady = false; ///< guarded by the mutex
  };
  static constexpr std::size_t kWindow = 4;

  void add(std::unique_ptr<Job> job);
  void run(Job &job);
  Job *takeWaiting();
  void settleFirst();
  void help();

  std::deque<std::unique_ptr<Job>> line_; ///< in the order of the file
  std::mutex mutex_;                      ///< guards what follows
  std::condition_variable added_, ready_;
  std::deque<Job *> waiting_;
  bool stopping_ = false;
  std::vector<std::thread> helpers_;
};

} // namespace cupr::trace

#endif
