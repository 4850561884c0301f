/// Goes through the acts of the host once and notes its copies; then each rule sums up those of each place.
#include "transfer_findings.h"

#include "advice_limits.h"
#include "analysis/model/live_allocations.h"
#include "analysis/output/text.h"
#include "device_figures.h"
#include "source_accesses.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace cupr::analysis {

namespace {

constexpr std::uint64_t kStepsPerCopy = 500, kBytesPerCopy = 80;

struct TimedCopy {
  const trace::Copy *copy = nullptr;
  const CallSite *site = nullptr;
  std::uint64_t bytes = 0;
  bool isPageable = false;   ///< its end on the host is in no memory that CUDA knows
  bool isBehindCopy = false; ///< nothing but allocations lies between it and the copy before it
  bool isByLaunch = false;   ///< a launch comes next, or came last
};

/// What is estimated of copies: by their calls where the times of all are known, else by figures.
struct Estimate {
  double measured = 0, figured = 0;
  bool isMeasured = true;

  void add(std::optional<double> seconds, double byFigures) {
    isMeasured = isMeasured && seconds;
    measured += seconds.value_or(0);
    figured += byFigures;
  }
  void add(const Estimate &other) {
    isMeasured = isMeasured && other.isMeasured;
    measured += other.measured;
    figured += other.figured;
  }
  double seconds() const { return isMeasured ? measured : figured; }
};

using Place = std::tuple<CallSite, trace::CopyKind>;

const char *directionOf(trace::CopyKind kind) {
  return kind == trace::CopyKind::HostToDevice   ? "to the device"
         : kind == trace::CopyKind::DeviceToHost ? "to the host"
                                                 : "within the device";
}

class TransferRules {
public:
  TransferRules(const Model &model, CallSites &sites, const CallTimes &times)
      : model_(model), sites_(sites), times_(times), device_(figuresOf(model.header().process.deviceName)) {}

  std::vector<Finding> run() {
    collect();
    pageable();
    synchronous();
    if (!model_.header().leavesOut) // between two copies may be a launch that the trace doesn't hold
      small();
    return std::move(findings_);
  }

private:
  void collect() {
    LiveAllocations live(model_);
    bool isBehindCopy = false, isBehindLaunch = false;
    for (const Event &event : model_.events()) {
      if (const auto *made = std::get_if<AllocationEvent>(&event))
        live.apply(*made);
      else if (const auto *freed = std::get_if<FreeEvent>(&event))
        live.apply(*freed);
      else if (const auto *copied = std::get_if<CopyEvent>(&event)) {
        const trace::Copy &copy = model_.copies()[copied->index];
        const bool isMoved = copy.kind != trace::CopyKind::HostToHost && copy.place.graph == 0;
        if (isMoved)
          note(copy, live, isBehindCopy, isBehindLaunch);
        isBehindCopy = isMoved;
        isBehindLaunch = false;
      } else {
        isBehindLaunch = std::holds_alternative<LaunchEvent>(event);
        if (isBehindLaunch && isBehindCopy)
          transfers_.back().isByLaunch = true;
        isBehindCopy = false;
      }
    }
  }

  void note(const trace::Copy &copy, LiveAllocations &live, bool isBehindCopy, bool isBehindLaunch) {
    model_.limit().spend(kStepsPerCopy, [] { return std::string("what is found of copies"); });
    TimedCopy transfer{&copy, &sites_.of(copy.order), copy.rowBytes * copy.rows};
    model_.limit().keep(kBytesPerCopy, [] { return std::string("what is found of copies"); });
    const bool isUp = copy.kind == trace::CopyKind::HostToDevice,
               isDown = copy.kind == trace::CopyKind::DeviceToHost;
    transfer.isPageable = (isUp || isDown) && !live.find(isUp ? copy.source : copy.destination);
    transfer.isBehindCopy = isBehindCopy;
    transfer.isByLaunch = isBehindLaunch;
    moved_ += isUp || isDown ? transfer.bytes : 0;
    transfers_.push_back(transfer);
  }

  std::optional<double> tookItself(const TimedCopy &transfer) const {
    return transfer.copy->asynchronous ? std::nullopt : times_.tookItself(transfer.copy->order);
  }

  void add(FindingRule rule, const CallSite &site, std::string title, std::string advice,
           std::uint64_t amount, std::uint64_t of, const Estimate &estimate) {
    if (estimate.seconds() < kLeastGain)
      return;
    Finding finding;
    finding.rule = rule;
    finding.title = std::move(title);
    finding.advice = std::move(advice);
    finding.file = site.file;
    finding.line = site.line;
    finding.path = site.path;
    finding.amount = amount;
    finding.share = partOf(amount, of);
    finding.seconds = estimate.seconds();
    finding.isMeasured = estimate.isMeasured;
    findings_.push_back(std::move(finding));
  }

  struct Copies {
    std::uint64_t count = 0, bytes = 0, pieces = 0;
    Estimate estimate;

    void add(const Copies &other) {
      count += other.count;
      bytes += other.bytes;
      ++pieces;
      estimate.add(other.estimate);
    }
  };
  /// By the address on the host.
  using Pieces = std::map<std::uint64_t, Copies>;

  static void add(Pieces &pieces, const TimedCopy &transfer, std::optional<double> seconds,
                  double byFigures) {
    const trace::Copy &copy = *transfer.copy;
    Copies &piece = pieces[copy.kind == trace::CopyKind::HostToDevice ? copy.source : copy.destination];
    ++piece.count;
    piece.bytes += transfer.bytes;
    piece.estimate.add(seconds, byFigures);
  }
  /// Those of pieces that are copied again and again: what is done once is not worth a buffer that stays.
  static Copies repeated(const Pieces &pieces) {
    Copies all;
    for (const auto &[address, piece] : pieces)
      if (piece.count >= kLeastCopiesOfOne)
        all.add(piece);
    return all;
  }

  void pageable() {
    std::map<Place, Pieces> places;
    for (const TimedCopy &transfer : transfers_) {
      if (!transfer.isPageable || transfer.bytes < kLeastPageableBytes)
        continue;
      const auto bytes = static_cast<double>(transfer.bytes);
      std::optional<double> gain = tookItself(transfer);
      if (gain)
        gain = std::max(0.0, *gain - bytes / device_.hostBytesPerSecond);
      add(places[{*transfer.site, transfer.copy->kind}], transfer, gain,
          bytes / device_.pageableBytesPerSecond - bytes / device_.hostBytesPerSecond);
    }
    for (const auto &[place, pieces] : places) {
      const auto &[site, kind] = place;
      const Copies all = repeated(pieces);
      const bool isUp = kind == trace::CopyKind::HostToDevice;
      add(FindingRule::CopyPageable, site,
          fmt::format("{} copies {} {} {} bytes, each time {} the same {} of the host, which {} pageable",
                      grouped(all.count), directionOf(kind), isUp ? "bring" : "fetch", grouped(all.bytes),
                      isUp ? "from" : "to",
                      all.pieces == 1 ? "memory" : fmt::format("{} pieces of memory", grouped(all.pieces)),
                      all.pieces == 1 ? "is" : "are"),
          "Allocate the host's side with cudaMallocHost, or register it once with cudaHostRegister: then "
          "the device takes it at the full speed of the link, and cudaMemcpyAsync beside the host's work. "
          "Page-locking costs more than a copy, so keep the memory for all of them.",
          all.bytes, moved_, all.estimate);
    }
  }

  void synchronous() {
    std::map<CallSite, Pieces> places;
    for (const TimedCopy &transfer : transfers_) {
      const trace::Copy &copy = *transfer.copy;
      if (copy.asynchronous || copy.kind != trace::CopyKind::HostToDevice)
        continue;
      const double work = times_.workBehind(copy.order);
      const double byFigures =
          static_cast<double>(transfer.bytes) /
          (transfer.isPageable ? device_.pageableBytesPerSecond : device_.hostBytesPerSecond);
      std::optional<double> took = times_.took(copy.order);
      if (took)
        took = std::min(*took, work);
      add(places[*transfer.site], transfer, took, std::min(byFigures, work));
    }
    for (const auto &[site, pieces] : places) {
      const Copies all = repeated(pieces);
      add(FindingRule::CopySynchronous, site,
          fmt::format("{} copies to the device, of {} bytes, hold up the host, which has work of its own "
                      "behind them before it needs the device",
                      grouped(all.count), grouped(all.bytes)),
          "Use cudaMemcpyAsync, from page-locked memory, in the stream of the launches that read it: no "
          "host code needs such a copy to be done. Where the host writes that memory again, let it wait "
          "for an event behind the copy, or take two buffers by turns.",
          all.bytes, moved_, all.estimate);
    }
  }

  /// Copies that may be one, one behind the other; and those that a launch could do without. Pieces are rows.
  void small() {
    std::map<Place, Copies> rows, single;
    for (auto first = transfers_.begin(); first != transfers_.end();) {
      auto next = std::next(first);
      while (next != transfers_.end() && isSmall(*first) && goesOn(first, next))
        ++next;
      const std::size_t length = static_cast<std::size_t>(next - first);
      const bool isRow = length >= kLeastCopiesInRow;
      const Place place{*first->site, first->copy->kind};
      for (auto at = first; at != next; ++at)
        if (isRow || isForLaunch(*at)) {
          Copies &copies = isRow ? rows[place] : single[{*at->site, at->copy->kind}];
          ++copies.count;
          copies.bytes += at->bytes;
          copies.estimate.add(tookItself(*at),
                              at->copy->asynchronous ? device_.launchSeconds : device_.copySeconds);
        }
      if (isRow)
        ++rows[place].pieces;
      first = next;
    }
    const std::uint64_t all = transfers_.size();
    for (const auto &[place, copies] : rows) {
      const auto &[site, kind] = place;
      const std::uint64_t spared = copies.count - copies.pieces;
      add(FindingRule::CopiesSmall, site,
          fmt::format("{} copies {} of {} bytes on average follow each other, with nothing between, in {} "
                      "{}: what each takes is mostly the call",
                      grouped(copies.count), directionOf(kind), grouped(copies.bytes / copies.count),
                      grouped(copies.pieces), copies.pieces == 1 ? "row" : "rows"),
          kind == trace::CopyKind::HostToDevice
              ? "Gather them in one buffer, and copy that at once; what lies apart in equal steps goes with "
                "cudaMemcpy2D."
              : "Their sources lie in equal steps: copy them at once, with cudaMemcpy, or cudaMemcpy2D if "
                "there is something between.",
          spared, all, partly(copies.estimate, spared, copies.count));
    }
    for (const auto &[place, copies] : single) {
      const auto &[site, kind] = place;
      if (copies.count < kLeastOfPlace)
        continue;
      add(FindingRule::CopiesSmall, site,
          fmt::format("{} copies {} of {} bytes on average, each beside a launch: what each takes is mostly "
                      "the call",
                      grouped(copies.count), directionOf(kind), grouped(copies.bytes / copies.count)),
          kind == trace::CopyKind::HostToDevice
              ? "Pass so few bytes to the kernels that read them as an argument, or let the kernel before "
                "compute them on the device."
              : "Let the kernel that writes the source, or the one that reads the copy, do it: it has the "
                "data at hand.",
          copies.count, all, copies.estimate);
    }
  }

  bool isSmall(const TimedCopy &transfer) const {
    const auto bytes = static_cast<double>(transfer.bytes);
    return (transfer.copy->kind == trace::CopyKind::DeviceToDevice
                ? 2 * bytes / device_.memoryBytesPerSecond
                : bytes / device_.hostBytesPerSecond) < device_.copySeconds;
  }

  /// Whether it could be left to a launch beside it. What the host fetches decides what it does next, so that is left alone.
  bool isForLaunch(const TimedCopy &transfer) const {
    if (!transfer.isByLaunch || !isSmall(transfer))
      return false;
    return transfer.copy->kind == trace::CopyKind::DeviceToDevice ||
           (transfer.copy->kind == trace::CopyKind::HostToDevice && transfer.bytes <= kMostArgumentBytes);
  }

  /// Whether `next` may be one with those from `first` on. The host may look at what it has fetched before it fetches more, so of copies from
  /// the device only those whose places are known beforehand are taken.
  bool goesOn(std::vector<TimedCopy>::const_iterator first,
              std::vector<TimedCopy>::const_iterator next) const {
    const trace::Copy &before = *std::prev(next)->copy, &copy = *next->copy;
    if (!next->isBehindCopy || copy.kind != before.kind || copy.stream != before.stream ||
        next->site->path != first->site->path || !isSmall(*next))
      return false;
    if (copy.kind == trace::CopyKind::HostToDevice)
      return true;
    // Of copies within the device a later one may read what an earlier one writes.
    const trace::Copy &one = *first->copy, &two = *std::next(first)->copy;
    return copy.kind == trace::CopyKind::DeviceToHost && copy.rowBytes == before.rowBytes && copy.rows == 1 &&
           before.rows == 1 && copy.source > before.source &&
           copy.source - before.source == two.source - one.source;
  }

  static Estimate partly(Estimate estimate, std::uint64_t part, std::uint64_t all) {
    const double share = static_cast<double>(part) / static_cast<double>(all);
    estimate.measured *= share;
    estimate.figured *= share;
    return estimate;
  }

  const Model &model_;
  CallSites &sites_;
  const CallTimes &times_;
  const DeviceFigures device_;
  std::vector<TimedCopy> transfers_; ///< in the order of the calls
  std::uint64_t moved_ = 0;          ///< bytes between host and device
  std::vector<Finding> findings_;
};

} // namespace

std::vector<Finding> transferFindings(const Model &model, CallSites &sites, const CallTimes &times) {
  return TransferRules(model, sites, times).run();
}

} // namespace cupr::analysis
