/// One pass over the file. A line is kept per launch, and the sites of the modules; nothing per record.
///
/// Long, since what is kept of a message depends on what was kept of all before it, whatever their kind.
#include "repair.h"

#include "derived_launch.h"
#include "devicelib/abi/version.h"
#include "host_numbers.h"
#include "id_ranges.h"
#include "message_file.h"
#include "packed_values.h"
#include "recount.h"
#include "site_counts.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

namespace cupr::trace {

namespace {

/// What is known of a launch so far.
struct Seen {
  Launch launch;         ///< as written
  bool isMadeUp = false; ///< its message is missing
  bool ended = false;
  std::uint64_t nextSequence = 0; ///< of a chunk in the damaged file
  std::uint64_t leftOutChunks = 0, leftOutRecords = 0;
  std::string whyLeftOut;    ///< of the first one
  RecordTotals totals;       ///< of the chunks that are written
  SiteAccesses bySite;       ///< likewise
  std::string whyNotDerived; ///< the rule that its slice broke; empty: none
};

/// A place where no message could be read, and why.
struct MissingPart {
  std::uint64_t offset;
  std::string rule;
};

class Repair {
public:
  Repair(Reader &reader, const std::string &path, WorkLimit *limit)
      : reader_(reader), limit_(limit), path_(path), file_(path) {}

  Repaired run() {
    Message message;
    for (;;) {
      const std::uint64_t expected = read_;
      const ReadStatus status = reader_.next(message);
      if (status == ReadStatus::End)
        break;
      if (status != ReadStatus::Message) {
        const std::string rule = reader_.rule();
        const std::uint64_t at = reader_.nextOffset();
        if (end_) { // nothing that any writer wrote
          missing("what stands behind the end (offset " + std::to_string(at) + ") was left out");
          break;
        }
        if (const auto *header = std::get_if<Header>(&message);
            header && header->formatVersion > kFormatVersion) {
          result_.badTrace = reader_.error();
          return std::move(result_);
        }
        if (!gap_)
          gap_ = MissingPart{at, rule};
        if (!reader_.resume()) {
          missing("everything from message " + std::to_string(expected) + " (offset " +
                  std::to_string(gap_->offset) + ") on: " + gap_->rule);
          break;
        }
        continue;
      }
      if (gap_)
        noteGap(expected);
      read_ = reader_.number() + 1;
      if (!hasHeader_ && !std::holds_alternative<Header>(message))
        makeUpHeader();
      std::visit([this](auto &value) { take(value); }, message);
    }
    if (!hasHeader_)
      result_.badTrace = reader_.path() + ": there is no whole message in it: " + reader_.rule();
    else
      finish();
    if (file_.error() != 0)
      result_.writeError = "can't write '" + path_ + "': " + std::strerror(file_.error());
    result_.messages = file_.messages();
    return std::move(result_);
  }

private:
  static std::string number(LaunchId id) { return std::to_string(static_cast<std::uint64_t>(id)); }

  void missing(std::string line) {
    if (result_.missing.size() < kMaxMissing)
      result_.missing.push_back(std::move(line));
    else
      ++more_;
  }

  /// With the message behind the gap read: how many are missing.
  void noteGap(std::uint64_t expected) {
    const std::uint64_t found = reader_.number();
    const std::string what =
        found == expected
            ? "no message, but what stood in front of message " + std::to_string(found) + " is none"
        : found == expected + 1 ? "message " + std::to_string(expected)
                                : "messages " + std::to_string(expected) + " to " + std::to_string(found - 1);
    missing(what + " (offset " + std::to_string(gap_->offset) + " to " + std::to_string(reader_.offset()) +
            "): " + gap_->rule);
    gap_.reset();
  }

  /// Leaves a whole message out that stands where it must not.
  void leaveOut(const std::string &rule) {
    missing("message " + std::to_string(reader_.number()) + " (offset " + std::to_string(reader_.offset()) +
            ") was left out: " + rule);
  }

  void makeUpHeader() {
    Header header;
    header.abiVersion = CUPR_ABI_VERSION;
    header.process.program = "unknown program";
    header.process.deviceKind = "gpu";
    header.process.deviceName = "unknown device";
    missing("the header: program, device and versions are unknown");
    hasHeader_ = true;
    file_.append(header);
  }

  /// Writes the message that was read as it is, with all that a newer program may have said in it.
  void keep(const Message &message) { file_.append(message, reader_.payload()); }

  void take(Header &header) {
    hasHeader_ = true;
    mayLackLaunches_ = header.leavesOut || header.formatVersion < 4;
    keep(header);
  }
  void take(ImageObject &object) { keep(object); }
  void take(Copy &copy) { keep(copy); }
  void take(Set &set) { keep(set); }
  void take(Synchronisation &synchronisation) { keep(synchronisation); }
  void take(Allocation &allocation) { keep(allocation); }
  void take(Free &free) { keep(free); }

  void take(PackedHostBatch &packed) {
    spend(stepsOf(packed), "unpacking calls of the host");
    HostBatch batch;
    if (const std::string rule = unpackHost(packed, batch); !rule.empty())
      return leaveOut(rule);
    const HostCounts first = hostNumbers_.counts();
    if (const std::string rule = hostNumbers_.keep(batch, packed.first); !rule.empty())
      return leaveOut(rule);
    if (packed.first == first) // nothing was missing before it
      return keep(packed);
    for (PackedHostBatch &renumbered : packHost(batch, kFastLevel)) {
      renumbered.first = first;
      file_.append(renumbered);
    }
  }

  /// Numbers stay what they are where nothing before was left out.
  void take(Contents &contents) {
    spend(stepsOf(contents), "unpacking contents of memory");
    std::vector<std::byte> bytes;
    if (const std::string rule = unpackContents(contents, bytes); !rule.empty())
      return leaveOut("contents of memory: " + rule);
    const std::uint32_t before = contents.id;
    if (!contents_.try_emplace(before, static_cast<std::uint32_t>(contentsBytes_.size())).second)
      return leaveOut("contents of memory must not have one number twice");
    contents.id = static_cast<std::uint32_t>(contentsBytes_.size());
    contentsBytes_.push_back(contents.bytes);
    contents.id == before ? keep(contents) : file_.append(contents);
  }

  void take(Snapshot &snapshot) {
    Snapshot renumbered = snapshot;
    bool isWhole = true;
    for (std::uint32_t &piece : renumbered.pieces) {
      const auto found = contents_.find(piece);
      if (found == contents_.end())
        return leaveOut("a snapshot of memory whose contents are missing");
      isWhole = isWhole && found->second == piece;
      piece = found->second;
    }
    if (const std::string rule =
            brokenSnapshotRule(renumbered, [&](std::uint32_t id) { return contentsBytes_[id]; });
        !rule.empty())
      return leaveOut(rule);
    renumbered.id = static_cast<std::uint32_t>(snapshots_.size());
    if (!snapshots_.try_emplace(snapshot.id, renumbered.id).second)
      return leaveOut("snapshots of memory must not have one number twice");
    isWhole &&renumbered.id == snapshot.id ? keep(snapshot) : file_.append(renumbered);
  }

  /// What the launch's slice looks up. False: something of it is missing.
  bool renumber(std::vector<std::uint32_t> &snapshots, bool &isAsItWas) {
    std::vector<std::uint32_t> found;
    for (const std::uint32_t snapshot : snapshots)
      if (const auto known = snapshots_.find(snapshot); known != snapshots_.end())
        found.push_back(known->second);
    const bool isWhole = found.size() == snapshots.size();
    isAsItWas = isAsItWas && found == snapshots;
    snapshots = std::move(found);
    return isWhole;
  }

  void take(Module &module) {
    if (modules_.contains(module.id))
      return leaveOut("module " + std::to_string(static_cast<std::uint32_t>(module.id)) +
                      " must not occur twice");
    bool isAsItWas = static_cast<std::size_t>(module.id) == kept_.size();
    for (Source &source : module.sources) {
      spend(source.steps(), "the text of a source");
      if (!source.packed.empty() && !source.text()) {
        missing("the text of '" + module.strings[source.path] + "', which does not unpack to its length");
        source.packed.clear();
        isAsItWas = false;
      }
    }
    const ModuleId before = module.id;
    modules_[before] = module.id = static_cast<ModuleId>(kept_.size());
    Module &kept = kept_.emplace_back();
    kept.sites = module.sites;
    kept.slices = module.slices;
    isAsItWas ? keep(module) : file_.append(module);
  }

  /// A module without sites, for launches whose own is missing.
  ModuleId unknownModule() {
    if (!unknownModule_) {
      Module module;
      module.id = static_cast<ModuleId>(kept_.size());
      module.strings.emplace_back();
      kept_.emplace_back();
      file_.append(module);
      unknownModule_ = module.id;
    }
    return *unknownModule_;
  }

  void take(Launch &launch) {
    if (!ids_.add(static_cast<std::uint64_t>(launch.id)))
      return leaveOut("launch " + number(launch.id) + " must not occur twice");
    const ModuleId before = launch.module;
    if (launch.module != kNoModule) {
      const auto found = modules_.find(launch.module);
      if (found != modules_.end())
        launch.module = found->second;
      else
        launch.module = launch.traced ? unknownModule() : kNoModule;
    }
    // Without its slice it is a launch whose accesses are lost.
    std::string broken = brokenDerivationRule(launch, moduleOf(kept_, launch.module));
    if (!broken.empty()) {
      launch.slice = kNoSlice;
      launch.sliceValues.clear();
    }
    launch.module == before &&broken.empty() ? keep(launch) : file_.append(launch);
    Seen &seen = launches_[launch.id];
    seen.launch = std::move(launch);
    seen.whyNotDerived = std::move(broken);
  }

  void take(ActBatch &batch) {
    bool isAsItWas = true;
    for (ActBatch::Kernel &kernel : batch.kernels)
      if (kernel.module != kNoModule) {
        const auto found = modules_.find(kernel.module);
        const ModuleId now = found == modules_.end() ? kNoModule : found->second;
        isAsItWas = isAsItWas && now == kernel.module;
        kernel.module = now;
      }
    std::erase_if(batch.launches, [&](const ActBatch::Launch &launch) {
      if (ids_.add(static_cast<std::uint64_t>(batch.idOf(launch)))) {
        ++result_.launches;
        return false;
      }
      leaveOut("launch " + number(batch.idOf(launch)) + " must not occur twice");
      isAsItWas = false;
      return true;
    });
    if (batch.acts() != 0)
      isAsItWas ? keep(batch) : file_.append(batch);
  }

  /// It is one of a batch: it is not traced, and has no end.
  bool isOfBatch(LaunchId id) const {
    return ids_.contains(static_cast<std::uint64_t>(id)) && !launches_.contains(id);
  }

  Seen &find(LaunchId id) {
    const auto found = launches_.find(id);
    if (found != launches_.end())
      return found->second;
    ids_.add(static_cast<std::uint64_t>(id));
    Launch launch;
    launch.id = id;
    launch.kernel = "unknown kernel";
    launch.traced = true;
    launch.module = unknownModule();
    file_.append(launch);
    Seen &seen = launches_[id];
    seen.launch = std::move(launch);
    seen.isMadeUp = true;
    return seen;
  }

  /// Launches are counted from 1.
  static bool isLaunch(LaunchId id) { return id != LaunchId{0}; }

  void take(Chunk &chunk) {
    if (!isLaunch(chunk.launch))
      return leaveOut("a chunk of no launch");
    if (isOfBatch(chunk.launch))
      return leaveOut("a chunk of launch " + number(chunk.launch) + ", which is not traced");
    Seen &seen = find(chunk.launch);
    if (seen.ended)
      return leaveOut("a chunk behind the end of launch " + number(chunk.launch));
    if (chunk.sequence < seen.nextSequence)
      return leaveOut("chunk " + std::to_string(chunk.sequence) + " of launch " + number(chunk.launch) +
                      " stands in the wrong place");
    seen.nextSequence = chunk.sequence + 1;
    spend(stepsOf(chunk), "unpacking its records");
    RecordTotals totals;
    SiteAccesses bySite;
    std::string rule;
    if (seen.isMadeUp)
      rule = "the launch's own message is missing";
    else if (unknownModule_ == seen.launch.module)
      rule = "the launch's module is missing";
    else if (rule = unpackChunk(chunk, sitesOf(seen.launch), words_, values_); rule.empty())
      rule = recount(chunk, words_, values_, seen.launch, sitesOf(seen.launch), totals, &bySite);
    if (!rule.empty()) {
      ++seen.leftOutChunks;
      seen.leftOutRecords += chunk.records;
      if (seen.whyLeftOut.empty())
        seen.whyLeftOut = std::move(rule);
      return;
    }
    seen.totals += totals;
    for (const auto &[site, accesses] : bySite)
      seen.bySite[site] += accesses;
    const std::uint64_t before = chunk.sequence;
    chunk.sequence = file_.chunks(chunk.launch);
    chunk.sequence == before ? keep(chunk) : file_.append(chunk);
  }

  std::span<const Site> sitesOf(const Launch &launch) const {
    const auto module = static_cast<std::size_t>(launch.module);
    return module < kept_.size() ? std::span<const Site>(kept_[module].sites) : std::span<const Site>();
  }

  void take(LaunchTotals &totals) {
    if (!isLaunch(totals.end.id))
      return leaveOut("the end of no launch");
    if (isOfBatch(totals.end.id))
      return leaveOut("the end of launch " + number(totals.end.id) + ", which has none");
    Seen &seen = find(totals.end.id);
    if (seen.ended)
      return leaveOut("launch " + number(totals.end.id) + " must not end twice");
    const std::uint64_t chunks = file_.chunks(totals.end.id);
    const bool isWhole = totals.chunks == chunks && totals.records == seen.totals.records &&
                         totals.words == seen.totals.words && totals.counts == seen.totals.counts;
    bool areCountsKept = true;
    std::string lacking;
    if (totals.end.siteCounts) {
      const auto different = differences(*totals.end.siteCounts, seen.bySite);
      if (std::ranges::any_of(different, &SiteDifference::isExcess)) {
        missing("what the device counted in launch " + number(totals.end.id) +
                ", which is less than what is recorded of it");
        totals.end.siteCounts.reset();
        areCountsKept = false;
      } else if (totals.end.complete && accessesMissing(different) != totals.end.dropped) {
        lacking = "the device counted " + std::to_string(accessesMissing(different)) +
                  " more accesses than are recorded, and " + std::to_string(totals.end.dropped) +
                  " were dropped";
      }
    }
    const auto lacks = [&](const std::string &more) { lacking += (lacking.empty() ? "" : "; ") + more; };
    if (!renumber(totals.end.snapshots, areCountsKept))
      lacks("its accesses can't be derived: contents of memory are missing");
    if (!seen.whyNotDerived.empty())
      lacks("its accesses can't be derived: " + seen.whyNotDerived);
    if (seen.launch.isDerived() && totals.end.complete && totals.end.reason.empty() &&
        seen.totals.blocks != selectedBlocks(seen.launch))
      lacks(std::to_string(selectedBlocks(seen.launch)) + " blocks were to be recorded, and " +
            std::to_string(seen.totals.blocks) + " are");
    if (isWhole && !seen.isMadeUp && seen.leftOutChunks == 0 && areCountsKept && lacking.empty()) {
      keep(totals);
      seen.ended = true;
      result_.incomplete += !totals.end.complete && seen.launch.traced;
      return;
    }
    std::string why;
    if (totals.chunks > chunks && totals.records > seen.totals.records)
      why = std::to_string(totals.chunks - chunks) + " of " + std::to_string(totals.chunks) +
            " chunks are missing, with " + std::to_string(totals.records - seen.totals.records) + " of " +
            std::to_string(totals.records) + " records";
    else if (!isWhole)
      why = "the totals at the launch's end were not those of its records";
    else if (seen.leftOutChunks == 0)
      why = std::move(lacking);
    writeEnd(totals, seen, std::move(why));
  }

  /// Writes the end of a launch with what is there of it. `why`: what is not.
  void writeEnd(LaunchTotals totals, Seen &seen, std::string why) {
    const auto add = [&why](const std::string &more) { why += (why.empty() ? "" : "; ") + more; };
    if (seen.isMadeUp)
      add("the launch's own message is missing");
    if (seen.leftOutChunks != 0)
      add(std::to_string(seen.leftOutChunks) + " chunks with " + std::to_string(seen.leftOutRecords) +
          " records can't be used: " + seen.whyLeftOut);
    if (!why.empty()) {
      totals.end.complete = false;
      totals.end.reason += (totals.end.reason.empty() ? "" : "; ") + why;
      missing("records of launch " + number(totals.end.id) + " (" + seen.launch.kernel + "): " + why);
    }
    totals.records = seen.totals.records;
    totals.words = seen.totals.words;
    totals.counts = seen.totals.counts;
    totals.chunks = file_.chunks(totals.end.id);
    file_.append(totals);
    seen.ended = true;
    result_.incomplete += !totals.end.complete && seen.launch.traced;
  }

  void take(End &end) {
    end_ = std::move(end);
    endPayload_ = reader_.payload();
  }

  void finish() {
    if (end_)
      for (const LaunchIndex &index : end_->launches)
        if (isLaunch(index.id) && !isOfBatch(index.id))
          find(index.id);
    for (auto &[id, seen] : launches_) {
      ++result_.launches;
      result_.records += seen.totals.records;
      if (seen.ended || (!seen.launch.traced && seen.leftOutChunks == 0))
        continue;
      LaunchTotals totals;
      totals.end.id = id;
      totals.end.recordWords = seen.totals.words;
      writeEnd(totals, seen,
               seen.isMadeUp ? "" : "the launch's end is missing, and with it any number of records");
    }
    // Where nothing else is missing, it is a repaired trace, which says so already.
    if (!mayLackLaunches_ && (!end_ || !result_.missing.empty() || end_->missing.empty()))
      for (const IdRanges::Range &gap : ids_.gaps())
        missing(launchesText(gap));
    if (end_ && result_.missing.empty()) {
      if (file_.filled(*end_) == *end_) {
        file_.append(*end_, endPayload_);
        return file_.close();
      }
      missing("the counts or the index in the end were not those of the file");
    }
    End end;
    if (end_) {
      end.lost = end_->lost;
      end.leftOut = end_->leftOut;
      end.missing = std::move(end_->missing);
    }
    if (more_ != 0)
      result_.missing.push_back("and " + std::to_string(more_) + " more");
    end.missing.insert(end.missing.end(), result_.missing.begin(), result_.missing.end());
    end.lost = end.lost || !end.missing.empty();
    file_.finish(std::move(end));
  }

  void spend(std::uint64_t steps, const char *what) {
    if (limit_)
      limit_->spend(steps, [&] { return "message " + std::to_string(reader_.number()) + ": " + what; });
  }

  Reader &reader_;
  WorkLimit *const limit_;
  const std::string path_;
  MessageFile file_;
  Repaired result_;
  std::uint64_t more_ = 0;         ///< missing lines beyond kMaxMissing
  std::uint64_t read_ = 0;         ///< number of the message to come
  std::optional<MissingPart> gap_; ///< until the next message shows how much is missing
  bool hasHeader_ = false;
  std::optional<End> end_;
  Payload endPayload_;
  std::map<ModuleId, ModuleId> modules_; ///< numbers in the damaged file and in the new one
  std::map<std::uint32_t, std::uint32_t> contents_, snapshots_; ///< likewise
  std::vector<std::uint32_t> contentsBytes_;                    ///< by the new numbers
  HostNumbers hostNumbers_;
  std::optional<ModuleId> unknownModule_;
  std::vector<Module> kept_;          ///< their sites and slices, by number in the new file
  std::map<LaunchId, Seen> launches_; ///< with a message of their own
  IdRanges ids_;                      ///< of all launches
  bool mayLackLaunches_ = false;
  std::vector<Word> words_, values_;
};

} // namespace

Repaired repair(Reader &reader, const std::string &path, WorkLimit *limit) {
  return Repair(reader, path, limit).run();
}

} // namespace cupr::trace
