/// Goes through the supersteps in their order with a Shadow of memory.
///
/// A launch's records are read twice: first its reads, which look at the shadow as the
/// launches before have left it, then its writes. Operations are counted record by record;
/// volumes, which count a byte once however often it is read, come from the ranges that
/// each CTA has read in all.
#include "communication.h"

#include "analysis/model/records.h"
#include "flow_table.h"
#include "ranges.h"
#include "shadow.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace cupr::analysis {

namespace {

/// Bits of Shadow::Cell::readers.
enum Reader : std::uint32_t { kSameIndex = 1, kOtherIndex = 2, kAnyLaunch = 4, kHostCopy = 8 };

constexpr EntityId kHostEntity = 1;

struct Entity {
  Superstep superstep;
  std::uint32_t cta;
};

class Analyser {
public:
  explicit Analyser(const Model &model) : model_(model) {
    result_.launches.resize(model.launches().size());
    entities_ = {{kHost, 0}, {kHost, 0}}; // nobody, and the host
  }

  Communication run() {
    for (const Event &event : model_.events())
      std::visit([this](const auto &what) { apply(what); }, event);
    for (const LaunchVolume &volume : result_.launches) {
      result_.uniqueRead += volume.uniqueRead;
      result_.uniqueWritten += volume.uniqueWritten;
      result_.communicated += volume.readByLaunches;
      result_.readByHost += volume.readByHost;
    }
    finishHostReads();
    std::sort(result_.pairs.begin(), result_.pairs.end(), [](const LaunchPair &a, const LaunchPair &b) {
      return std::pair(a.destination, a.source) < std::pair(b.destination, b.source);
    });
    std::sort(result_.transfers.begin(), result_.transfers.end(), [](const Transfer &a, const Transfer &b) {
      return std::tuple(a.destination, a.source, a.destinationCta, a.sourceCta) <
             std::tuple(b.destination, b.source, b.destinationCta, b.sourceCta);
    });
    return std::move(result_);
  }

private:
  struct Segment {
    EntityId writer;
    Range range;
  };

  void apply(const AllocationEvent &event) {
    const trace::Allocation &allocation = model_.allocations()[event.index].allocation;
    shadow_.clear(accessRange(allocation.address, allocation.bytes));
    live_[allocation.address] = allocation.bytes;
  }

  void apply(const FreeEvent &event) {
    const trace::Allocation &allocation = model_.allocations()[event.allocation].allocation;
    shadow_.clear(accessRange(allocation.address, allocation.bytes));
    live_.erase(allocation.address);
  }

  void apply(const CopyEvent &event) {
    const trace::Copy &copy = model_.copies()[event.index];
    met_.clear();
    forEachRow(copy.source, copy.rowBytes, copy.rows, copy.sourcePitch,
               [&](const Range &row) { hostReads(row); });
    // Plain host memory is no concern of kernels; what was allocated through CUDA is.
    const bool toDevice =
        copy.kind == trace::CopyKind::HostToDevice || copy.kind == trace::CopyKind::DeviceToDevice;
    if (toDevice || isLive(copy.destination))
      forEachRow(copy.destination, copy.rowBytes, copy.rows, copy.destinationPitch,
                 [&](const Range &row) { hostWrites(row); });
  }

  void apply(const SetEvent &event) {
    const trace::Set &set = model_.sets()[event.index];
    forEachRow(set.destination, set.rowBytes, set.rows, set.pitch,
               [&](const Range &row) { hostWrites(row); });
  }

  void apply(const LaunchEvent &event) {
    superstep_ = static_cast<Superstep>(event.index);
    launch_ = &model_.launches()[event.index];
    result_.counts += launch_->totals.counts.global;
    result_.incompleteLaunches +=
        !launch_->launch.traced || !launch_->launch.ctas.isAll() || !launch_->complete();
    countReads();
    volumeOfReads();
    applyWrites();
  }

  template <typename Body>
  static void forEachRow(std::uint64_t address, std::uint64_t rowBytes, std::uint64_t rows,
                         std::uint64_t pitch, Body body) {
    if (rowBytes == 0 || rows == 0)
      return;
    if (rows == 1 || pitch == 0 || pitch == rowBytes)
      return body(accessRange(address, rows > UINT64_MAX / rowBytes ? UINT64_MAX : rowBytes * rows));
    for (std::uint64_t row = 0; row < rows; ++row)
      body(accessRange(address + row * pitch, rowBytes));
  }

  bool isLive(std::uint64_t address) const {
    const auto next = live_.upper_bound(address);
    return next != live_.begin() && address - std::prev(next)->first < std::prev(next)->second;
  }

  void hostWrites(const Range &row) {
    result_.writtenByHost += row.bytes();
    shadow_.write(row, kHostEntity, [](const Range &, const Shadow::Cell &) {});
  }

  void hostReads(const Range &row) {
    shadow_.visit(row, [&](const Range &range, const Shadow::Cell &cell) {
      if (cell.writer == kHostEntity)
        return;
      Flow &flow = toHost_[cell.writer];
      flow.bytes += range.bytes();
      flow.operations += met_.insert(cell.writer).second;
    });
    shadow_.read(row, kHostCopy, [&](const Range &range, const Shadow::Cell &cell) {
      if (cell.writer != kHostEntity)
        result_.launches[entities_[cell.writer].superstep].readByHost += range.bytes();
    });
  }

  std::uint32_t ctaOf(const Record &record) const {
    if (record.access.cta > UINT32_MAX)
      throw BadTrace(model_.path() + ": " + launch_->kernel +
                     " has more than 2^32 CTAs, which the analysis of "
                     "communication can't number");
    return static_cast<std::uint32_t>(record.access.cta);
  }

  /// First pass: operations, and which bytes each CTA reads.
  void countReads() {
    RecordStream records(model_, *launch_, RecordsOf::GlobalMemory);
    while (const Record *record = records.next()) {
      if (abi::operationClass(record->site->operation) == abi::OperationClass::Store)
        continue;
      const std::uint32_t cta = ctaOf(*record);
      warp_.set(*record);
      for (const Range &range : warp_) {
        reads_.add(cta, range);
        shadow_.visit(range, [&](const Range &part, const Shadow::Cell &cell) {
          segments_.push_back({cell.writer, part});
        });
      }
      countOperations(cta);
    }
  }

  /// A thread's access counts once for each writer whose bytes it meets.
  void countOperations(std::uint32_t cta) {
    if (segments_.size() == 1 && segments_[0].range == *warp_.begin() && warp_.end() - warp_.begin() == 1) {
      flows_.at(segments_[0].writer, cta).operations += warp_.lanes();
      segments_.clear();
      return;
    }
    // Usually one writer, so there is nothing to sort.
    const auto byWriter = [](const Segment &a, const Segment &b) {
      return std::pair(a.writer, a.range.begin) < std::pair(b.writer, b.range.begin);
    };
    if (!std::is_sorted(segments_.begin(), segments_.end(), byWriter))
      std::sort(segments_.begin(), segments_.end(), byWriter);
    for (std::size_t i = 0; i < segments_.size();) {
      const EntityId writer = segments_[i].writer;
      sameWriter_.clear();
      for (; i < segments_.size() && segments_[i].writer == writer; ++i)
        sameWriter_.push_back(segments_[i].range);
      flows_.at(writer, cta).operations += warp_.lanesIn(sameWriter_);
    }
    segments_.clear();
  }

  /// Between the passes: unique volumes, from the ranges of each CTA.
  void volumeOfReads() {
    LaunchVolume &volume = result_.launches[superstep_];
    std::map<Superstep, LaunchPair> pairs;
    RangeSet sameIndex, otherIndex;
    for (const RangeSet::Entry &entry : reads_.byCta()) {
      shadow_.visit(entry.range, [&](const Range &range, const Shadow::Cell &cell) {
        flows_.at(cell.writer, entry.cta).bytes += range.bytes();
        if (cell.writer == kHostEntity)
          return;
        const Entity &writer = entities_[cell.writer];
        if (writer.cta == entry.cta) {
          pairs[writer.superstep].sameIndex += range.bytes();
          sameIndex.add(0, range);
        } else {
          otherIndex.add(0, range);
        }
      });
    }
    for (const Range &range : sameIndex.takeUnion())
      shadow_.read(range, kSameIndex,
                   [&](const Range &part, const Shadow::Cell &) { result_.sameIndex += part.bytes(); });
    for (const Range &range : otherIndex.takeUnion()) {
      shadow_.visit(range, [&](const Range &part, const Shadow::Cell &cell) {
        pairs[entities_[cell.writer].superstep].otherIndex += part.bytes();
      });
      shadow_.read(range, kOtherIndex,
                   [&](const Range &part, const Shadow::Cell &) { result_.otherIndex += part.bytes(); });
    }
    for (const Range &range : reads_.takeUnion()) {
      volume.uniqueRead += range.bytes();
      shadow_.visit(range, [&](const Range &part, const Shadow::Cell &cell) {
        pairs[entities_[cell.writer].superstep].bytes += part.bytes();
        (cell.writer == kHostEntity ? volume.readFromHost : volume.readFromLaunches) += part.bytes();
      });
      shadow_.read(range, kAnyLaunch, [&](const Range &part, const Shadow::Cell &cell) {
        if (cell.writer == kHostEntity)
          result_.hostRead += part.bytes();
        else
          result_.launches[entities_[cell.writer].superstep].readByLaunches += part.bytes();
      });
    }
    keepFlows(pairs);
  }

  void keepFlows(std::map<Superstep, LaunchPair> &pairs) {
    flows_.forEach([&](const Flow &flow) {
      const Entity &writer = entities_[flow.writer];
      result_.transfers.push_back(
          {writer.superstep, superstep_, writer.cta, flow.cta, flow.bytes, flow.operations});
      LaunchPair &pair = pairs[writer.superstep];
      pair.operations += flow.operations;
      ++pair.ctaPairs;
    });
    flows_.clear();
    for (auto &[source, pair] : pairs) {
      pair.source = source;
      pair.destination = superstep_;
      result_.pairs.push_back(pair);
    }
  }

  /// Second pass.
  void applyWrites() {
    LaunchVolume &volume = result_.launches[superstep_];
    const auto firstOfLaunch = static_cast<EntityId>(entities_.size());
    writers_.clear();
    RecordStream records(model_, *launch_, RecordsOf::GlobalMemory);
    while (const Record *record = records.next()) {
      if (abi::operationClass(record->site->operation) == abi::OperationClass::Load)
        continue;
      const EntityId writer = writerOf(ctaOf(*record));
      warp_.set(*record);
      for (const Range &range : warp_)
        shadow_.write(range, writer, [&](const Range &part, const Shadow::Cell &before) {
          if (before.writer < firstOfLaunch)
            volume.uniqueWritten += part.bytes();
        });
    }
  }

  EntityId writerOf(std::uint32_t cta) {
    const auto [entry, fresh] = writers_.emplace(cta, static_cast<EntityId>(entities_.size()));
    if (fresh) {
      if (entities_.size() == UINT32_MAX)
        throw BadTrace(model_.path() + ": more than 2^32 CTAs write; choose fewer launches");
      entities_.push_back({superstep_, cta});
    }
    return entry->second;
  }

  void finishHostReads() {
    std::map<Superstep, LaunchPair> pairs;
    for (const auto &[writer, flow] : toHost_) {
      const Entity &entity = entities_[writer];
      result_.transfers.push_back({entity.superstep, kHost, entity.cta, 0, flow.bytes, flow.operations});
      LaunchPair &pair = pairs[entity.superstep];
      pair.source = entity.superstep;
      pair.operations += flow.operations;
      ++pair.ctaPairs;
      pair.bytes += flow.bytes;
    }
    for (const auto &[source, pair] : pairs)
      result_.pairs.push_back(pair);
  }

  const Model &model_;
  Communication result_;
  Shadow shadow_;
  std::map<std::uint64_t, std::uint64_t> live_; ///< address -> bytes
  std::vector<Entity> entities_;
  std::unordered_map<EntityId, Flow> toHost_;
  std::unordered_set<EntityId> met_; ///< whose bytes the present copy has met

  // The present launch.
  Superstep superstep_ = 0;
  const LaunchInfo *launch_ = nullptr;
  WarpRanges warp_;
  RangeSet reads_;
  std::vector<Segment> segments_; ///< of the record: who wrote what it reads
  std::vector<Range> sameWriter_;
  FlowTable flows_;
  std::unordered_map<std::uint32_t, EntityId> writers_; ///< CTA -> entity
};

} // namespace

Communication communication(const Model &model) { return Analyser(model).run(); }

} // namespace cupr::analysis
