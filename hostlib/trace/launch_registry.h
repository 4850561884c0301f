/// What a writer knows of modules and launches, whatever becomes of the records.
#ifndef CUPR_TRACE_LAUNCH_REGISTRY_H
#define CUPR_TRACE_LAUNCH_REGISTRY_H

#include "message.h"
#include "record_counts.h"
#include "value_columns.h"
#include "writer.h"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace cupr::trace {

/// The site tables that launches name. Threads: all members from any thread.
class ModuleRegistry {
public:
  /// Takes a site table apart. Says on stderr what is wrong with it, and gives nothing then.
  static std::optional<Module> parse(std::span<const std::byte> siteTable);
  /// Gives the module its number and calls `write(module)`, one module after the other.
  template <typename Write> ModuleId add(Module &module, Write write) {
    auto weights = std::make_shared<const SiteWeights>(trace::weightsOf(module));
    auto values = std::make_shared<const ValueSites>(valueSitesOf(module.sites));
    std::lock_guard lock(mutex_); // numbers must ascend in the file
    module.id = static_cast<ModuleId>(weights_.size());
    write(std::as_const(module));
    weights_.push_back(std::move(weights));
    valueSites_.push_back(std::move(values));
    return module.id;
  }
  /// Null: there is no such module.
  std::shared_ptr<const SiteWeights> weights(ModuleId module) const { return at(weights_, module); }
  std::shared_ptr<const ValueSites> valueSites(ModuleId module) const { return at(valueSites_, module); }

private:
  template <typename T>
  std::shared_ptr<const T> at(const std::vector<std::shared_ptr<const T>> &all, ModuleId module) const {
    std::lock_guard lock(mutex_);
    const auto index = static_cast<std::size_t>(module);
    return index < all.size() ? all[index] : nullptr;
  }

  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<const SiteWeights>> weights_;
  std::vector<std::shared_ptr<const ValueSites>> valueSites_;
};

/// A launch whose end has not come.
struct OpenLaunch {
  OpenLaunch(bool isTraced, std::shared_ptr<const SiteWeights> its)
      : traced(isTraced), weights(std::move(its)) {}

  void add(const RunCount &run) {
    std::lock_guard lock(mutex_);
    run.addTo(recordCounts_);
  }
  RecordCounts counted() const {
    std::lock_guard lock(mutex_);
    return recordCounts_;
  }

  const bool traced;
  const std::shared_ptr<const SiteWeights> weights; ///< may be null

private:
  mutable std::mutex mutex_;
  RecordCounts recordCounts_;
};

/// The end of a launch as the trace says it. It is not complete if what was delivered is not what was
/// announced. Hooks count at all sites; of those that are no accesses, by `weights`, nothing is said, and copies by tensor maps
/// count as the ranges that they are made of.
LaunchTotals totalsOf(const LaunchEnd &said, const RecordCounts &recordCounts, const SiteWeights *weights);

/// The open launches, and what all launches together were. `Open` is an OpenLaunch.
/// Threads: all members from any thread; the mutex is held for look-ups only.
template <typename Open> class LaunchRegistry {
public:
  void open(LaunchId id, std::shared_ptr<Open> launch) {
    std::lock_guard lock(mutex_);
    ++launches_;
    traced_ += launch->traced;
    open_[id] = std::move(launch);
  }

  /// A launch that is not traced: nothing more will be heard of it, so nothing is kept of it.
  void pass() {
    std::lock_guard lock(mutex_);
    ++launches_;
  }

  /// Null: it has not been announced, or has ended.
  std::shared_ptr<Open> find(LaunchId id) const {
    std::lock_guard lock(mutex_);
    const auto found = open_.find(id);
    return found == open_.end() ? nullptr : found->second;
  }

  /// Takes a launch out; null as in `find`. No more records must come.
  std::shared_ptr<Open> end(LaunchId id) {
    std::lock_guard lock(mutex_);
    const auto found = open_.find(id);
    if (found == open_.end())
      return nullptr;
    std::shared_ptr<Open> launch = std::move(found->second);
    open_.erase(found);
    const RecordCounts recordCounts = launch->counted();
    ended_[id] = recordCounts.total().words;
    endedCounts_ += recordCounts;
    return launch;
  }

  /// Once. They stay here: another thread may still be at one, and if it were the last to let go, a program that
  /// is built with ThreadSanitizer would report that, since it does not see reference counts of code that is not.
  const std::map<LaunchId, std::shared_ptr<Open>> &endAll() {
    std::lock_guard lock(mutex_);
    left_.swap(open_);
    for (const auto &[id, launch] : left_)
      endedCounts_ += launch->counted();
    return left_;
  }

  std::uint64_t words(LaunchId id) const {
    std::lock_guard lock(mutex_);
    if (const auto open = open_.find(id); open != open_.end())
      return open->second->counted().total().words;
    const auto ended = ended_.find(id);
    return ended == ended_.end() ? 0 : ended->second;
  }

  Totals totals() const {
    std::lock_guard lock(mutex_);
    Totals totals{launches_, traced_, endedCounts_};
    for (const auto &[id, launch] : open_)
      totals.recordCounts += launch->counted();
    return totals;
  }

private:
  mutable std::mutex mutex_;
  std::map<LaunchId, std::shared_ptr<Open>> open_, left_;
  std::unordered_map<LaunchId, std::uint64_t> ended_; ///< words
  std::uint64_t launches_ = 0, traced_ = 0;
  RecordCounts endedCounts_;
};

} // namespace cupr::trace

#endif
