/// Takes a process's events and records, and does with them what its sink is for:
///
///     create          appends them to a trace file
///     createMemory    the same, in memory
///     createCallback  hands them to a receiver
///     createNull      counts the records and throws them away
///
/// Threads: every member may be called from any thread at any time. Records of
/// one launch and channel keep their order; the compression runs in the
/// caller's thread, outside the lock.
/// Errors: nothing is thrown. When the file can't be written any more, one line
/// goes to stderr, `failed()` turns true, later calls do nothing, and what was
/// written so far stays a readable, incomplete trace.
#ifndef CUPR_TRACE_WRITER_H
#define CUPR_TRACE_WRITER_H

#include "events.h"
#include "host_batch.h"
#include "record_counts.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cupr::trace {

/// What a process's launches were, up to now.
struct Totals {
  std::uint64_t launches = 0;
  std::uint64_t traced = 0; ///< of the launches
  RecordCounts recordCounts;
};

struct WriterOptions {
  /// zstd's level, from 1 to 19. 0: it follows back-pressure (compression_level.h), so the file's bytes are not the same
  /// in each run.
  int level = kFastLevel;
  /// A file of more bytes gets no more records. What else is to be said still goes to it.
  std::uint64_t maxBytes = UINT64_MAX;
  /// Where `finish` appends a line of JSON with the totals (docs/trace-format.md); empty: nowhere.
  std::string summaryPath;
  /// Of the file; output.h.
  unsigned fileMode = 0600;
  /// Of launches that are not traced nothing but their number is written.
  bool leavesOutUntraced = false;
  bool hasHostAccesses = false; ///< as in Header
  /// What copies by tensor maps are taken apart with; must outlive the writer. Null: there are none.
  const TensorMaps *tensorMaps = nullptr;
  /// A file of that name is replaced, whatever it is; else if it is a trace.
  bool replacesAnyFile = true;
};

class RecordReceiver;

class Writer {
public:
  /// Creates (or truncates) `path` and writes the header. When that fails the
  /// writer exists all the same, in the failed state.
  static std::unique_ptr<Writer> create(const std::string &path, const Process &process,
                                        const WriterOptions &options = {});
  /// The trace lies in memory, as a file that `path` names for this process until the writer goes.
  static std::unique_ptr<Writer> createMemory(const Process &process, const WriterOptions &options = {});
  /// Counts as the others do and hands everything on; `receiver` must outlive the writer.
  static std::unique_ptr<Writer> createCallback(RecordReceiver &receiver, const Process &process,
                                                const WriterOptions &options = {});
  /// Counts launches and records as the file's writer does and keeps nothing; `finish` says on stderr
  /// what there was.
  static std::unique_ptr<Writer> createNull(const Process &process, const WriterOptions &options = {});
  virtual ~Writer() = default;

  /// Adds a module; `siteTable` is the blob of abi/site_table.h.
  virtual ModuleId module(std::span<const std::byte> siteTable) = 0;
  /// Of one that is not traced nothing is kept. It may be written later, with others: by `flush` at the latest.
  virtual void launch(const Launch &launch) = 0;
  /// Of one that is not traced, but of which it is known when it ran: with its end.
  virtual void timedLaunch(const Launch &launch, const LaunchEnd &end) = 0;
  /// `count` 16-byte words of records (devicelib/abi/record_head.h; pads and Follow records allowed), whole
  /// records only. Takes those of this launch at the front: up to the first record that carries another tag
  /// than `tag` above its CTA. Returns the words taken; what is no record is taken with all that is behind
  /// it. Tags and generations are cleared. `channel` says where they were delivered (a bin, a worker thread): records
  /// of one channel are kept in order. The launch must have been announced; its end must not have been.
  virtual std::size_t records(LaunchId launch, std::uint32_t channel, const void *words, std::size_t count,
                              std::uint64_t tag = 0) = 0;
  /// Writes what there is of the launch's records in the channels from `first` to before `end`. `launchEnd` writes what is
  /// left by itself; of a launch of many records that takes long, and several threads can do it first, each with its own channels.
  virtual void flushChannels(LaunchId launch, std::uint32_t first, std::uint32_t end) {}
  /// Adds a piece of memory, abi::kPieceBytes at most. Gives its number for snapshots; nothing: it is not in the trace, which is
  /// full or has failed.
  virtual std::optional<std::uint32_t> contents(std::span<const std::byte> /*bytes*/) { return std::nullopt; }
  /// Adds a range of memory that consists of such pieces. Gives its number for the ends of launches; nothing: likewise.
  virtual std::optional<std::uint32_t> snapshot(std::uint64_t /*address*/, std::uint64_t /*bytes*/,
                                                const std::vector<std::uint32_t> & /*pieces*/) {
    return std::nullopt;
  }
  /// Of a launch that is traced. Flushes its records and writes its end with the totals that the
  /// writer has counted.
  virtual void launchEnd(const LaunchEnd &end) = 0;
  /// These two may be written later as well, but before the next launch that is traced.
  virtual void allocation(const Allocation &allocation) = 0;
  virtual void free(const Free &free) = 0;
  virtual void imageObject(const ImageObject &object) = 0;
  virtual void copy(const Copy &copy) = 0;
  virtual void set(const Set &set) = 0;
  virtual void synchronisation(const Synchronisation &synchronisation) = 0;
  /// What the program's threads did, which goes on where the last batch ended. Calls must come one after the other.
  virtual void host(const HostBatch &batch) = 0;

  /// Something that it should have been told is lost: the trace says that it is not whole.
  virtual void lose() = 0;
  /// Writes what may be written later.
  virtual void flush() = 0;

  /// 16-byte words of records taken for this launch so far, pads excluded.
  virtual std::uint64_t recordWords(LaunchId launch) const = 0;
  /// Of all launches, those that are still open included.
  virtual Totals totals() const = 0;
  virtual bool failed() const = 0;
  /// The file has reached its limit: records are counted and dropped from now on, and their launches are
  /// incomplete. New launches should not be traced, for the reason fullReason().
  virtual bool full() const = 0;
  virtual std::string fullReason() const = 0;
  /// Bytes of memory in which records wait to be written. Bounded, however much comes.
  virtual std::uint64_t gatheredBytes() const = 0;
  /// Who gets the records wants those of all accesses, and can't derive any (Launch::isDerived).
  virtual bool needsAllRecords() const { return false; }
  /// Writes the end of the trace and closes the file. Launches without an end
  /// are incomplete. Idempotent. Returns false when anything was lost.
  virtual bool finish() = 0;
  /// Of the file; empty where there is none.
  virtual const std::string &path() const = 0;
};

} // namespace cupr::trace

#endif
