/// Builds the model in one pass over the file.
#include "model.h"

#include "names.h"
#include "records.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace cupr::analysis {

namespace {

/// Sorts by `key(element)`; equal ones keep their order. (std::stable_sort of some standard
/// libraries uses what C++20 deprecates.)
template <typename T, typename Key> void sortBy(std::vector<T> &elements, Key key) {
  std::vector<std::pair<decltype(key(elements[0])), std::size_t>> places;
  for (std::size_t i = 0; i < elements.size(); ++i)
    places.emplace_back(key(elements[i]), i);
  if (std::is_sorted(places.begin(), places.end()))
    return;
  std::sort(places.begin(), places.end());
  std::vector<T> sorted;
  sorted.reserve(elements.size());
  for (const auto &[_, i] : places)
    sorted.push_back(std::move(elements[i]));
  elements = std::move(sorted);
}

/// Puts messages where they belong.
struct Collector {
  const trace::Reader &reader;
  trace::Header &header;
  std::vector<trace::Module> &modules;
  std::vector<LaunchInfo> &launches;
  std::vector<AllocationInfo> &allocations;
  std::vector<trace::Copy> &copies;
  std::vector<trace::Set> &sets;
  std::vector<trace::Synchronisation> &synchronisations;
  std::vector<trace::Free> frees;
  std::unordered_map<trace::LaunchId, std::size_t> byId;

  [[noreturn]] void bad(const std::string &rule) const {
    throw BadTrace(reader.path() + ": message " + std::to_string(reader.number()) + ": " + rule);
  }

  LaunchInfo &launch(trace::LaunchId id) {
    const auto found = byId.find(id);
    if (found == byId.end())
      bad("launch " + std::to_string(static_cast<std::uint64_t>(id)) + " was not announced");
    return launches[found->second];
  }

  void operator()(trace::Header &in) { header = std::move(in); }
  void operator()(trace::Module &in) {
    if (static_cast<std::size_t>(in.id) != modules.size())
      bad("modules must be counted from 0");
    modules.push_back(std::move(in));
  }
  void operator()(trace::Launch &in) {
    if (!byId.emplace(in.id, launches.size()).second)
      bad("launch " + std::to_string(static_cast<std::uint64_t>(in.id)) + " must not occur twice");
    if (in.module != trace::kNoModule && static_cast<std::size_t>(in.module) >= modules.size())
      bad("a launch names a module that is not there");
    LaunchInfo &info = launches.emplace_back();
    info.kernel = userName(in.kernel.empty() ? in.mangled : in.kernel);
    info.launch = std::move(in);
  }
  void operator()(trace::Chunk &in) { launch(in.launch).chunks.push_back(reader.offset()); }
  void operator()(trace::LaunchTotals &in) {
    LaunchInfo &info = launch(in.end.id);
    info.ended = true;
    info.totals = std::move(in);
  }
  void operator()(trace::Allocation &in) {
    AllocationInfo info;
    info.allocation = std::move(in);
    allocations.push_back(std::move(info));
  }
  void operator()(trace::Free &in) { frees.push_back(std::move(in)); }
  void operator()(trace::Copy &in) { copies.push_back(in); }
  void operator()(trace::Set &in) { sets.push_back(in); }
  void operator()(trace::Synchronisation &in) { synchronisations.push_back(in); }
  void operator()(trace::End &) {}
};

} // namespace

Model::Model(const std::string &path) : path_(path) {
  std::string error;
  reader_ = trace::Reader::open(path, error);
  if (!reader_)
    throw BadTrace(error);
  read();
}

void Model::read() {
  Collector collector{*reader_, header_, modules_,          launches_, allocations_,
                      copies_,  sets_,   synchronisations_, {},        {}};
  trace::Message message;
  trace::ReadStatus status;
  while ((status = reader_->next(message)) == trace::ReadStatus::Message)
    std::visit(collector, message);
  if (status == trace::ReadStatus::Damaged)
    throw BadTrace(reader_->error());
  if (status == trace::ReadStatus::Truncated) {
    if (header_.formatVersion == 0 || reader_->fileBytes() == 0)
      throw BadTrace(reader_->error());
    truncation_ = reader_->error();
  }
  const auto order = [](const auto &event) { return event.order; };
  sortBy(launches_, [](const LaunchInfo &info) { return std::pair(info.launch.order, info.launch.id); });
  sortBy(allocations_, [](const AllocationInfo &info) { return info.allocation.order; });
  sortBy(copies_, order);
  sortBy(sets_, order);
  sortBy(collector.frees, order);
  for (std::size_t i = 0; i < allocations_.size(); ++i)
    allocations_[i].ordinal = static_cast<std::uint32_t>(i);
  orderEvents(collector.frees);
  for (LaunchInfo &launch : launches_)
    if (!launch.ended)
      recount(launch);
}

void Model::orderEvents(const std::vector<trace::Free> &frees) {
  // Of calls with one order (old or hand-made traces), memory is allocated first and freed
  // last.
  struct Entry {
    std::uint64_t order;
    int rank;
    std::size_t index;
  };
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < allocations_.size(); ++i)
    entries.push_back({allocations_[i].allocation.order, 0, i});
  for (std::size_t i = 0; i < copies_.size(); ++i)
    entries.push_back({copies_[i].order, 1, i});
  for (std::size_t i = 0; i < sets_.size(); ++i)
    entries.push_back({sets_[i].order, 2, i});
  for (std::size_t i = 0; i < launches_.size(); ++i)
    entries.push_back({launches_[i].launch.order, 3, i});
  for (std::size_t i = 0; i < frees.size(); ++i)
    entries.push_back({frees[i].order, 4, i});
  sortBy(entries, [](const Entry &entry) { return std::pair(entry.order, entry.rank); });
  std::map<std::uint64_t, std::size_t> live; // address -> allocation
  for (const Entry &entry : entries) {
    switch (entry.rank) {
    case 0:
      live[allocations_[entry.index].allocation.address] = entry.index;
      events_.push_back(AllocationEvent{entry.index});
      break;
    case 1:
      events_.push_back(CopyEvent{entry.index});
      break;
    case 2:
      events_.push_back(SetEvent{entry.index});
      break;
    case 3:
      events_.push_back(LaunchEvent{entry.index});
      break;
    default:
      // A free of something else (memory from before the trace) says nothing.
      if (const auto found = live.find(frees[entry.index].address); found != live.end()) {
        allocations_[found->second].freedOrder = entry.order;
        events_.push_back(FreeEvent{found->second});
        live.erase(found);
      }
    }
  }
}

void Model::recount(LaunchInfo &launch) {
  RecordStream records(*this, launch);
  while (const Record *record = records.next()) {
    launch.totals.counts.add(abi::operationClass(record->site->operation),
                             abi::activeLanes(record->access.laneMask), record->site->bytes);
    ++launch.totals.records;
  }
  launch.totals.chunks = launch.chunks.size();
  launch.totals.words = records.words();
  launch.totals.end.reason = "the trace stops before the launch's end";
}

const trace::Module *Model::moduleOf(const LaunchInfo &launch) const {
  const auto index = static_cast<std::size_t>(launch.launch.module);
  return index < modules_.size() ? &modules_[index] : nullptr;
}

} // namespace cupr::analysis
