/// What a trace says, apart from its records: launches in the order of the host's calls,
/// modules, allocations with their lifetimes, copies and sets. Records are streamed from
/// the file (records.h), so memory does not grow with them.
///
/// Terms: the order of an event is its place among the host's calls; an allocation is
/// alive for a launch when it was made before the launch's call and not freed before it.
#ifndef CUPR_ANALYSIS_MODEL_H
#define CUPR_ANALYSIS_MODEL_H

#include "hostlib/trace/message.h"
#include "hostlib/trace/reader.h"
#include "hostlib/trace/work_limit.h"
#include "launch_memory.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace cupr::analysis {

/// The trace breaks a rule; the text names file, message and rule.
struct BadTrace : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class DerivedRecords;
class PhaseRecords;

/// One launch with all that is known of it; or a phase of one (phases.h).
struct LaunchInfo {
  trace::Launch launch;     ///< `id` of phases but the first: a number behind those of the program's launches
  trace::LaunchId number{}; ///< the program's
  std::uint32_t phase = 0;  ///< from 0
  std::string kernel;       ///< as the user knows it: without the trace argument
  bool ended = false;
  /// Totals of the file; recounted from the records when the launch has no end.
  trace::LaunchTotals totals;
  std::vector<std::uint64_t> chunks;     ///< offsets in the file, or places in phaseRecords or derivedRecords
  std::vector<std::uint32_t> chunkWords; ///< what each unpacks to; 0: it has not been read
  std::shared_ptr<const PhaseRecords> phaseRecords; ///< null: it is whole
  /// Its accesses are derived, and `chunks` are numbers in here; null: they are recorded, or, if the launch isn't complete,
  /// not known.
  std::shared_ptr<const DerivedRecords> derivedRecords;
  std::uint64_t blocksBegun = 0; ///< of a launch whose accesses are derived
  /// Every record is there.
  bool complete() const { return ended && totals.end.complete; }
  /// Nanoseconds from the first block's beginning to the last one's end, with tracing; none: not known.
  std::optional<std::uint64_t> deviceTime() const {
    const trace::LaunchEnd &end = totals.end;
    return ended && end.began != 0 && end.ended >= end.began ? std::optional(end.ended - end.began)
                                                             : std::nullopt;
  }
};

struct AllocationInfo {
  trace::Allocation allocation;
  std::uint32_t ordinal = 0;             ///< from 0, in the order of the calls
  std::uint64_t freedOrder = UINT64_MAX; ///< order of the free
};

/// A texture object or a surface object, while its handle stands for it.
struct ImageObjectInfo {
  trace::ImageObject object;
  std::uint32_t ordinal = 0; ///< from 0, in the order of the calls
  std::uint64_t endOrder =
      UINT64_MAX; ///< order of the call that destroyed it, or that made another one with its handle
  std::optional<std::uint32_t> allocation; ///< that it reads, by ordinal; none: not known
};

/// An act of the host that orders or moves data, by index in the model's lists.
struct LaunchEvent {
  std::size_t index;
};
struct AllocationEvent {
  std::size_t index;
};
struct FreeEvent {
  std::size_t allocation;
};
struct CopyEvent {
  std::size_t index;
};
struct SetEvent {
  std::size_t index;
};
using Event = std::variant<LaunchEvent, AllocationEvent, FreeEvent, CopyEvent, SetEvent>;

enum class LaunchParts { Whole, Phases };
/// Whether chunks of records are read to be checked, or, where the file's end says where they are, left until somebody asks for them.
enum class ChunkReading { Checked, Later };
/// Says that the trace is being written while it is read.
struct Growing {};
/// Whether who writes such a trace goes on.
enum class Growth { GoesOn, Over };

class Model {
public:
  /// Reads the whole file once. Throws BadTrace if it can't be read or is damaged. A
  /// truncated file gives what it holds, and `truncation()` says where it stops. `parts`: whether launches are
  /// taken apart at the barriers of their grids; the records of those that are, are read now.
  explicit Model(const std::string &path, LaunchParts parts = LaunchParts::Whole,
                 ChunkReading chunks = ChunkReading::Checked);
  /// Has nothing yet but what readOn() brings: launches are whole, and indices stay. Throws as the other one does.
  Model(const std::string &path, Growing);
  ~Model();
  /// Not of one that grows.
  Model(Model &&) noexcept;
  Model &operator=(Model &&) noexcept;

  /// Takes what has been written since. While it goes on, only acts that nothing is missing in front of: of the calls of several threads
  /// a later one may have been written first, and of a launch that runs there are not all records yet. They come with a later call.
  void readOn(Growth growth);

  const std::string &path() const { return path_; }
  const trace::Header &header() const { return header_; }
  const std::vector<trace::Module> &modules() const { return modules_; }
  /// By the order of the host's calls.
  const std::vector<LaunchInfo> &launches() const { return launches_; }
  /// How many launches the program made: phases of one count once.
  std::size_t calls() const { return launches_.size() - furtherPhases_; }
  const std::vector<AllocationInfo> &allocations() const { return allocations_; }
  const std::vector<ImageObjectInfo> &imageObjects() const { return imageObjects_; }
  /// The object that the address of an access of a texture or a surface stands for in this launch; null: it is no such access, or
  /// none is known.
  const ImageObjectInfo *imageObjectAt(const LaunchInfo &launch, abi::Operation operation,
                                       std::uint64_t address) const;
  const std::vector<trace::Copy> &copies() const { return copies_; }
  const std::vector<trace::Set> &sets() const { return sets_; }
  /// Of addresses where nothing was allocated at the time.
  const std::vector<trace::Free> &strayFrees() const { return strayFrees_; }
  const std::vector<trace::Synchronisation> &synchronisations() const { return synchronisations_; }
  /// What the program's threads did: all of the trace's batches as one.
  const trace::HostBatch &host() const { return host_; }
  /// Everything that touches memory, in the order of the host's calls.
  const std::vector<Event> &events() const { return events_; }
  /// Where and why the file stops early, or what a repaired trace lacks; empty: neither.
  const std::string &truncation() const { return truncation_; }

  /// Null if the launch has none.
  const trace::Module *moduleOf(const LaunchInfo &launch) const;
  trace::Reader &reader() const { return *reader_; }
  /// What the file may still ask for, of all that is done with this model.
  trace::WorkLimit &limit() const { return *limit_; }

private:
  void recount(LaunchInfo &launch);
  /// Those that have been derived, the last of each slice and its values.
  using DerivedSoFar =
      std::map<std::pair<std::uint32_t, std::vector<std::uint64_t>>, std::shared_ptr<const DerivedRecords>>;
  void derive(LaunchInfo &launch, DerivedSoFar &before);
  struct Placed;
  struct Collector;
  void open();
  void readMessages(ChunkReading chunks);
  void standIn();
  void takeEvents(Growth growth);
  void takeEvent(const Placed &event);
  void addImageObject(trace::ImageObject in);
  void takeApart();

  std::string path_;
  std::unique_ptr<trace::Reader> reader_;
  std::unique_ptr<trace::WorkLimit> limit_;
  trace::Header header_;
  std::vector<trace::Module> modules_;
  std::vector<LaunchInfo> launches_;
  std::size_t furtherPhases_ = 0; ///< in launches_
  std::vector<AllocationInfo> allocations_;
  std::vector<ImageObjectInfo> imageObjects_;
  /// By kind and handle, in the order of the calls: indices in imageObjects_.
  std::map<std::pair<trace::ImageKind, std::uint64_t>, std::vector<std::uint32_t>> objectsOfHandle_;
  std::vector<trace::Copy> copies_;
  std::vector<trace::Set> sets_;
  std::vector<trace::Free> strayFrees_;
  std::vector<trace::Synchronisation> synchronisations_;
  trace::HostBatch host_;
  MemorySnapshots snapshots_;
  std::vector<Event> events_;
  std::string truncation_;
  std::unique_ptr<Collector> collector_; ///< while the file is read
};

/// The coordinates of a CTA in its grid, from its linear number (devicelib/abi/record.h).
inline trace::Dim3 placeInGrid(const trace::Dim3 &grid, std::uint64_t cta) {
  return {static_cast<std::uint32_t>(cta % grid.x), static_cast<std::uint32_t>(cta / grid.x % grid.y),
          static_cast<std::uint32_t>(cta / grid.x / grid.y)};
}
/// The coordinates of a lane's thread in its block.
inline trace::Dim3 threadOf(const abi::WarpAccess &access, unsigned lane, const trace::Dim3 &block) {
  return placeInGrid(block, std::uint64_t{access.warp} * abi::kLanes + lane);
}

} // namespace cupr::analysis

#endif
