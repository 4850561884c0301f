/// A trace as the page looks at it: what it says but for its records, and these chunk by chunk. Records are those of accesses and, between
/// them, of what orders them, which has no address: what stands in its place is said in devicelib/abi/operation.def.
///
/// Nothing here takes longer than a chunk does, but for opening: whoever asks for a launch goes through its chunks, and hears others in
/// between. Where the records of a chunk are is kept when it has been read once (analysis/model/chunk_zone.h), so that one warp's are
/// found without reading all.
#ifndef CUPR_VIEWER_TRACE_VIEW_H
#define CUPR_VIEWER_TRACE_VIEW_H

#include "access_filter.h"
#include "address_density.h"
#include "analysis/engine/bank_wavefronts.h"
#include "analysis/import/import.h"
#include "analysis/model/model.h"
#include "analysis/model/shared_variables.h"

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace cupr::viewer {

/// An access of a warp as the list shows it; the page reads these words (viewer/src/reader/rows.ts).
struct AccessRow {
  std::uint64_t address; ///< of the lowest active lane
  std::uint64_t cta;
  std::uint64_t start; ///< the multiprocessor's clock, if it is timed
  std::uint32_t index; ///< in the chunk
  std::uint32_t site, laneMask, warp, sm;
  std::uint32_t bytes;    ///< of all lanes together; UINT32_MAX: that many or more
  std::uint32_t duration; ///< cycles, if it is timed
  std::uint32_t isTimed;  ///< 0 or 1
};
static_assert(sizeof(AccessRow) == 56, "as the page reads it");

/// All lanes of one; those that are not active have zeros.
struct AccessLanes {
  AccessRow row;
  std::uint64_t address[abi::kLanes];
  std::uint64_t bytes[abi::kLanes];
};

struct Access {
  AccessLanes lanes;
  std::string values; ///< what lanes read, wrote and compared with, by role and lane, as JSON
};

class TraceView {
public:
  /// Throws analysis::BadTrace, trace::TooMuch, as all that follow.
  explicit TraceView(const std::string &path)
      : model_(path, analysis::LaunchParts::Whole, analysis::ChunkReading::Later) {}

  /// What the trace says but for records and source texts, as JSON (viewer/src/trace.ts has its form).
  /// `importing`: what has made the trace of an export; null: it is none.
  std::string json(const analysis::Import *importing) const;
  /// The text of a source of a module; nothing if the trace has not got it.
  std::optional<std::string> sourceText(std::size_t module, std::size_t source) const;

  /// The launch that is meant from now on, and what is asked for of it: all of it, until a filter is set.
  void choose(std::size_t launch);
  AccessFilter &filter() { return filter_; }

  /// How many accesses of this chunk pass.
  std::uint32_t count(std::size_t chunk);
  /// How many the chunk has; it has been counted before.
  std::uint32_t records(std::size_t chunk) const { return zones()[chunk].records; }
  /// Of those that pass, `most` from number `first` on.
  std::vector<AccessRow> rows(std::size_t chunk, std::uint32_t first, std::uint32_t most);
  /// The access of that number in the chunk, whether it passes or not; nothing if there is none.
  std::optional<Access> access(std::size_t chunk, std::uint32_t index);
  /// What the banks of shared memory make of it, as JSON (analysis/engine/bank_json.h), with the `places` in its variables by lane, as
  /// far as the chunks that have been counted say where these lie; nothing if there is no such access.
  std::optional<std::string> banks(std::size_t chunk, std::uint32_t index, analysis::BankWidth width);
  /// Between which addresses the launch's accesses in a space are, in the chunks that have been counted.
  analysis::Bounds addresses(abi::MemorySpace space) const;
  /// Adds those that pass to `density`; `before` is the number of records in the chunks before.
  void addTo(AddressDensity &density, std::size_t chunk, std::uint64_t before);

private:
  static std::array<analysis::Bounds, abi::kMemorySpaces> nowhere() {
    std::array<analysis::Bounds, abi::kMemorySpaces> all;
    all.fill(analysis::kNoBounds);
    return all;
  }
  struct Zone {
    analysis::ChunkZone at;
    std::array<analysis::Bounds, abi::kMemorySpaces> addresses = nowhere(); ///< by space
    std::uint32_t records = 0;
    bool isKnown = false;
  };
  const analysis::LaunchInfo &launch() const { return model_.launches()[launch_]; }
  enum class Values { Left, Read };
  /// What the list shows of records' values: of timed launches when each began.
  Values valuesOfRows() const {
    return launch().launch.timed == abi::LatencyScheme::None ? Values::Left : Values::Read;
  }
  /// What is kept of a launch's chunks.
  struct Counted {
    std::vector<Zone> zones;
    std::vector<analysis::SharedVariable> variables; ///< each once, by offset
  };
  const std::vector<Zone> &zones() const { return counted_->zones; }
  /// `body(record, index)` for each of the chunk, until it returns false.
  template <typename Body> void forEach(std::size_t chunk, Values values, Body body);
  /// `body(record)` of the access with that number in the chunk, if there is one.
  template <typename Body> void at(std::size_t chunk, std::uint32_t index, Values values, Body body);
  bool isPassedBy(std::size_t chunk) const;

  const analysis::Model model_;
  std::size_t launch_ = 0;
  AccessFilter filter_;
  /// By what the records are alike by, or the launch.
  std::unordered_map<const void *, Counted> countedOfLaunches_;
  Counted *counted_ = nullptr;
};

} // namespace cupr::viewer

#endif
