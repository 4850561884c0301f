/// Recounts a trace. Keeps a line per launch and what belongs to sites, nothing per record.
///
/// Nearly all of the time goes into the records of chunks, so messages pass a pipeline of three stages: *read*, in the order
/// of the file, looks at all that needs no records; *count* unpacks and recounts chunks, on any thread; *settle*, in the
/// order of the file again, adds up what chunks hold, and compares it where their launch ends.
#include "verifier.h"

#include "hostlib/trace/derived_launch.h"
#include "hostlib/trace/id_ranges.h"
#include "hostlib/trace/packed_values.h"
#include "hostlib/trace/recount.h"
#include "hostlib/trace/site_counts.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>
#include <utility>

namespace cupr::trace {

namespace {

struct Seen {
  Launch launch;
  const Module *module = nullptr; ///< null: it names none that is there
  std::uint64_t message = 0;
  std::uint64_t offset = 0;
  std::uint64_t endOffset = 0;
  bool ended = false;
  std::vector<std::uint64_t> chunks; ///< offsets
  // The settling stage's:
  RecordTotals totals;
  SiteAccesses bySite; ///< until the launch has ended
};

struct Problem {
  std::uint64_t message;
  std::string line;
};

/// A message on its way through the pipeline.
struct Step {
  std::vector<Problem> problems; ///< that the reading stage has found
  Chunk chunk;
  Seen *chunkOf = nullptr; ///< null: there is no chunk
  // What the counting stage finds in the chunk:
  std::string rule; ///< that it breaks; empty: none
  RecordTotals totals;
  SiteAccesses bySite;
  std::function<void()> settle; ///< empty: nothing else
};

/// Of a small file the threads would take longer than its chunks.
std::size_t messagesAtOnce(std::uint64_t fileBytes) {
  constexpr std::uint64_t kSmallFile = 1u << 20;
  return fileBytes < kSmallFile ? 1 : 4 * static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
}

class Recount {
public:
  Recount(Reader &reader, WorkLimit *limit) : limit_(limit), reader_(reader) {}

  Verdict run() {
    tbb::parallel_pipeline(
        messagesAtOnce(reader_.fileBytes()),
        tbb::make_filter<void, Step *>(tbb::filter_mode::serial_in_order, [this](tbb::flow_control &flow) {
          return read(flow);
        }) & tbb::make_filter<Step *, Step *>(tbb::filter_mode::parallel, [this](Step *step) {
          count(*step);
          return step;
        }) & tbb::make_filter<Step *, void>(tbb::filter_mode::serial_in_order, [this](Step *step) {
          settle(*step);
        }));
    if (status_ != ReadStatus::End)
      addLast(reader_.error());
    for (const auto &[id, seen] : launches_)
      if (!seen.ended && seen.launch.traced)
        addLast(placed(seen.message, "launch " + number(id) + " (" + seen.launch.kernel + ") has no end"));
    if (!mayLackLaunches_)
      for (const IdRanges::Range &gap : ids_.gaps())
        addLast(reader_.path() + ": of " + launchesText(gap) + " nothing is in the file");
    for (auto &[message, line] : problems_)
      verdict_.problems.push_back(std::move(line));
    if (dropped_ > 0)
      verdict_.problems.push_back(reader_.path() + ": and " + std::to_string(dropped_) + " more");
    return std::move(verdict_);
  }

private:
  /// Null at the end of the file.
  Step *read(tbb::flow_control &flow) {
    Message message;
    status_ = reader_.next(message);
    if (status_ != ReadStatus::Message) {
      flow.stop();
      return nullptr;
    }
    ++counts_[message.index()];
    ++verdict_.messages;
    {
      const std::scoped_lock lock(stepsMutex_);
      step_ = &steps_.emplace_back();
    }
    std::visit([this](auto &value) { see(value); }, message);
    return step_;
  }

  void count(Step &step) {
    if (!step.chunkOf)
      return;
    const Seen &seen = *step.chunkOf;
    auto &[words, values] = words_.local();
    const std::span<const Site> sites =
        seen.module ? std::span<const Site>(seen.module->sites) : std::span<const Site>();
    step.rule = unpackChunk(step.chunk, sites, words, values);
    if (step.rule.empty())
      step.rule = recount(step.chunk, words, values, seen.launch, sites, step.totals, &step.bySite);
    step.chunk = {};
  }

  void settle(Step &step) {
    for (Problem &problem : step.problems)
      add(problem.message, std::move(problem.line));
    if (step.settle)
      step.settle();
    const std::scoped_lock lock(stepsMutex_);
    steps_.pop_front(); // this one: they come in their order
  }

  static std::string number(LaunchId id) { return std::to_string(static_cast<std::uint64_t>(id)); }

  /// Told behind those of messages.
  void addLast(std::string line) { add(UINT64_MAX, std::move(line)); }
  void add(std::uint64_t message, std::string line) {
    problems_.emplace(message, std::move(line));
    if (problems_.size() > kMaxProblems) {
      problems_.erase(std::prev(problems_.end()));
      ++dropped_;
    }
  }

  std::string placed(std::uint64_t message, const std::string &rule) const {
    return reader_.path() + ": message " + std::to_string(message) + ": " + rule;
  }
  /// For the settling stage.
  void problem(std::uint64_t message, const std::string &rule) { add(message, placed(message, rule)); }
  /// For the reading stage.
  void problem(const std::string &rule) {
    step_->problems.push_back({reader_.number(), placed(reader_.number(), rule)});
  }

  void see(const Header &header) { mayLackLaunches_ = header.leavesOut || header.formatVersion < 4; }
  void see(const ImageObject &) {}
  void see(const Copy &) {}
  void see(const Set &) {}
  void see(const Synchronisation &) {}
  void see(const Allocation &) {}
  void see(const Free &) {}

  void see(const Contents &contents) {
    if (contents.id != contentsBytes_.size())
      problem("contents of memory must be counted from 0");
    contentsBytes_.push_back(contents.bytes);
    spend(stepsOf(contents), "unpacking contents of memory");
    std::vector<std::byte> bytes;
    if (const std::string rule = unpackContents(contents, bytes); !rule.empty())
      problem(rule);
  }

  void see(const Snapshot &snapshot) {
    if (snapshot.id != snapshots_++)
      problem("snapshots must be counted from 0");
    if (const std::string rule = brokenSnapshotRule(
            snapshot, [&](std::uint32_t id) { return id < contentsBytes_.size() ? contentsBytes_[id] : 0; });
        !rule.empty())
      problem(rule);
  }

  void see(const PackedHostBatch &packed) {
    spend(stepsOf(packed), "unpacking calls of the host");
    if (const std::string rule = unpackHost(packed, batch_); !rule.empty())
      return problem(rule);
    if (packed.first != host_)
      problem("the calls of the host must be counted from where those before end");
    host_ = packed.first;
    if (const std::string rule = brokenHostRule(batch_, host_); !rule.empty())
      problem(rule);
    host_ += batch_;
  }

  void see(const Module &module) {
    if (static_cast<std::size_t>(module.id) != modules_.size())
      problem("modules must be counted from 0");
    for (const Source &source : module.sources) {
      spend(source.steps(), "the text of a source");
      if (!source.packed.empty() && !source.text())
        problem("the text of '" + module.strings[source.path] + "' does not unpack to its length");
    }
    Module &kept = modules_.emplace_back();
    kept.sites = module.sites;
    kept.strings = module.strings;
    kept.slices = module.slices;
  }

  void see(const Launch &launch) {
    ++verdict_.launches;
    verdict_.untraced += !launch.traced;
    Seen seen;
    seen.launch = launch;
    seen.message = reader_.number();
    seen.offset = reader_.offset();
    if (const auto index = static_cast<std::size_t>(launch.module); index < modules_.size())
      seen.module = &modules_[index];
    if (!seen.module && launch.module != kNoModule)
      problem("launch " + number(launch.id) + " names a module that is not there");
    else if (std::string rule = brokenDerivationRule(launch, seen.module); !rule.empty())
      problem(rule);
    verdict_.derived += launch.isDerived();
    see(launch.id);
    launches_.emplace(launch.id, std::move(seen));
  }

  void see(LaunchId id) {
    if (!ids_.add(static_cast<std::uint64_t>(id)))
      problem("launch " + number(id) + " must not occur twice");
  }

  /// Nothing is kept of their launches but the numbers.
  void see(const ActBatch &batch) {
    verdict_.launches += batch.launches.size();
    verdict_.untraced += batch.launches.size();
    for (const ActBatch::Kernel &kernel : batch.kernels)
      if (kernel.module != kNoModule && static_cast<std::size_t>(kernel.module) >= modules_.size())
        problem("launches name a module that is not there");
    for (const ActBatch::Launch &launch : batch.launches)
      see(batch.idOf(launch));
  }

  void see(Chunk &chunk) {
    ++verdict_.chunks;
    const auto found = launches_.find(chunk.launch);
    if (found == launches_.end())
      return problem("a chunk of launch " + number(chunk.launch) + ", which was not announced");
    Seen &seen = found->second;
    if (seen.ended)
      problem("a chunk behind the end of launch " + number(chunk.launch));
    if (chunk.sequence != seen.chunks.size())
      problem("chunk " + std::to_string(chunk.sequence) + " of launch " + number(chunk.launch) +
              " where chunk " + std::to_string(seen.chunks.size()) + " must be: chunks are missing");
    seen.chunks.push_back(reader_.offset());
    spend(stepsOf(chunk), "unpacking its records");
    step_->chunk = std::move(chunk);
    step_->chunkOf = &seen;
    step_->settle = [this, &seen, &step = *step_, message = reader_.number()] {
      for (const auto &[site, accesses] : step.bySite)
        seen.bySite[site] += accesses;
      if (!step.rule.empty())
        return problem(message, step.rule);
      seen.totals += step.totals;
      verdict_.records += step.totals.records;
      verdict_.words += step.totals.words;
    };
  }

  void see(const LaunchTotals &totals) {
    const LaunchId id = totals.end.id;
    const auto found = launches_.find(id);
    if (found == launches_.end())
      return problem("the end of launch " + number(id) + ", which was not announced");
    Seen &seen = found->second;
    if (seen.ended)
      problem("launch " + number(id) + " must not end twice");
    seen.ended = true;
    seen.endOffset = reader_.offset();
    if (std::ranges::any_of(totals.end.snapshots, [&](std::uint32_t id) { return id >= snapshots_; }))
      problem("launch " + number(id) + " names a snapshot that is not there");
    step_->settle = [this, totals, &seen, chunks = seen.chunks.size(), message = reader_.number()] {
      compare(totals, seen, chunks, message);
    };
  }

  /// What the end of a launch says, message `message`, behind `chunks` of it.
  void compare(const LaunchTotals &totals, Seen &seen, std::size_t chunks, std::uint64_t message) {
    const LaunchId id = totals.end.id;
    const auto problem = [&](const std::string &rule) { this->problem(message, rule); };
    const std::string name = "launch " + number(id) + " (" + seen.launch.kernel + ")";
    if (!totals.end.complete && seen.launch.traced)
      problem(name +
              " is incomplete: " + (totals.end.reason.empty() ? "no reason given" : totals.end.reason) +
              (totals.end.dropped ? ", " + std::to_string(totals.end.dropped) + " of them" : ""));
    const auto equal = [&](const char *what, std::uint64_t says, std::uint64_t has) {
      if (says != has)
        problem(name + " ends with " + std::to_string(says) + " " + what + ", and the file has " +
                std::to_string(has));
    };
    equal("records", totals.records, seen.totals.records);
    equal("words", totals.words, seen.totals.words);
    equal("chunks", totals.chunks, chunks);
    for (unsigned index = 0; index < abi::kMemorySpaces; ++index) {
      const auto space = static_cast<abi::MemorySpace>(index);
      const Counts &says = totals.counts.in(space), &has = seen.totals.counts.in(space);
      const std::string of =
          space == abi::MemorySpace::Global ? "" : std::string(" of ") + abi::spaceName(space) + " memory";
      equal(("loads" + of).c_str(), says.loads, has.loads);
      equal(("stores" + of).c_str(), says.stores, has.stores);
      equal(("atomics" + of).c_str(), says.atomics, has.atomics);
      equal(("bytes loaded" + of).c_str(), says.loadBytes, has.loadBytes);
      equal(("bytes stored" + of).c_str(), says.storeBytes, has.storeBytes);
      equal(("bytes of atomics" + of).c_str(), says.atomicBytes, has.atomicBytes);
    }
    if (seen.launch.isDerived() && totals.end.complete && totals.end.reason.empty())
      equal("blocks", selectedBlocks(seen.launch), seen.totals.blocks);
    verdict_.counts += seen.totals.counts;
    if (totals.end.siteCounts)
      compareCounts(name, totals.end, seen, message);
    seen.bySite = {};
  }

  /// What the device has counted must be what is recorded, but for what was dropped.
  void compareCounts(const std::string &name, const LaunchEnd &end, const Seen &seen, std::uint64_t message) {
    ++verdict_.counted;
    const auto problem = [&](const std::string &rule) { this->problem(message, rule); };
    const auto different = differences(*end.siteCounts, seen.bySite);
    const std::uint64_t missing = accessesMissing(different);
    for (const SiteDifference &site : different)
      if (site.isExcess() || missing != end.dropped)
        problem(name + ": the device counted " + std::to_string(site.counted) + " accesses of threads by " +
                placeOf(seen.module, site.site) + ", and the file has " + std::to_string(site.recorded));
    if (end.dropped && missing != end.dropped)
      problem(name + " lacks " + std::to_string(missing) + " accesses, and says that " +
              std::to_string(end.dropped) + " were dropped");
  }

  /// `the load at file:line:column`.
  static std::string placeOf(const Module *module, std::uint32_t index) {
    if (!module || index >= module->sites.size())
      return "an access at site " + std::to_string(index) + ", which is not in the module";
    const Site &site = module->sites[index];
    return std::string("the ") + abi::operationName(site.operation) + " at " + module->strings[site.file] +
           ":" + std::to_string(site.line) + ":" + std::to_string(site.column);
  }

  void see(const End &end) {
    for (std::size_t kind = 0; kind < kMessageKinds; ++kind)
      if (end.counts[kind] != counts_[kind])
        problem("the end counts " + std::to_string(end.counts[kind]) + " messages of kind " +
                std::string(kMessageNames[kind]) + ", and the file has " + std::to_string(counts_[kind]));
    mayLackLaunches_ = mayLackLaunches_ || !end.missing.empty();
    for (const std::string &line : end.missing)
      problem("the trace was repaired; missing: " + line);
    if (end.lost && end.missing.empty())
      problem("the program could not write all of the trace");
    auto index = end.launches.begin();
    for (const auto &[id, seen] : launches_) {
      const bool isNamed = index != end.launches.end() && index->id == id;
      if (!isNamed && !seen.launch.traced && !seen.ended)
        continue;
      if (!isNamed)
        return problem("the end does not name launch " + number(id));
      if (index->launch != seen.offset || index->launchEnd != seen.endOffset || index->chunks != seen.chunks)
        return problem("the index of launch " + number(id) + " is wrong");
      ++index;
    }
    if (index != end.launches.end())
      problem("the index of launch " + number(index->id) + " is wrong");
  }

  void spend(std::uint64_t steps, const char *what) {
    if (limit_)
      limit_->spend(steps, [&] { return "message " + std::to_string(reader_.number()) + ": " + what; });
  }

  WorkLimit *const limit_;
  Reader &reader_;
  // The reading stage's, and of the launches what stands above their totals:
  ReadStatus status_{};
  Step *step_ = nullptr; ///< the message that is looked at
  std::array<std::uint64_t, kMessageKinds> counts_{};
  std::deque<Module> modules_;        ///< their sites, strings and slices; each stays where it is
  std::map<LaunchId, Seen> launches_; ///< with a message of their own
  IdRanges ids_;                      ///< of all launches
  std::vector<std::uint32_t> contentsBytes_;
  std::uint32_t snapshots_ = 0;
  HostBatch batch_; ///< the present one: many are as large
  HostCounts host_; ///< of the batches so far
  bool mayLackLaunches_ = false;
  // All stages': oneTBB forgets what is under way when a stage throws, so it is kept here.
  std::mutex stepsMutex_; ///< guards the list, not what is in it
  std::deque<Step> steps_;
  // The counting stage's:
  tbb::enumerable_thread_specific<std::pair<std::vector<Word>, std::vector<Word>>>
      words_; ///< records, values
  // The settling stage's:
  std::uint64_t dropped_ = 0;
  /// By message, those of one in the order in which they were found.
  std::multimap<std::uint64_t, std::string> problems_;
  // The reading stage counts messages and launches, the settling stage all else:
  Verdict verdict_;
};

} // namespace

Verdict verify(Reader &reader, WorkLimit *limit) { return Recount(reader, limit).run(); }

} // namespace cupr::trace
