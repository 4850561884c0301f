/// A writer that keeps of each launch and bin how many records came, and a hash of them in their order.
#ifndef CUPR_STRESS_RECORDING_WRITER_H
#define CUPR_STRESS_RECORDING_WRITER_H

#include "devicelib/abi/record.h"
#include "hostlib/trace/record_counts.h"
#include "hostlib/trace/writer.h"

#include <atomic>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace cupr::stress {

/// Records in their order, as they are in the trace: without tag and generation, and no short forms.
struct Sequence {
  std::uint64_t records = 0, hash = 0;

  void add(const unsigned char *record, std::size_t words) {
    std::uint64_t halves[2 * abi::kMaxRecordWords];
    std::memcpy(halves, record, words * abi::kWordBytes);
    halves[1] = abi::ctaOf(halves[1]);
    halves[3] &= 0x0000'ffff'ffff'ffff; // the generation is the high half of `where`
    for (std::size_t i = 0; i < 2 * words; ++i)
      hash = (hash ^ halves[i]) * 0x9e3779b97f4a7c15 + (hash >> 29);
    ++records;
  }
  friend bool operator==(const Sequence &, const Sequence &) = default;
};

/// What belongs to a bin is written by one thread at a time, and may be read by one that is ordered behind
/// it.
class RecordingWriter : public trace::Writer {
public:
  /// `delay` is called with each delivery.
  RecordingWriter(std::uint64_t firstLaunch, std::size_t launches, unsigned bins, std::function<void()> delay)
      : first_(firstLaunch), received_(bins, std::vector<Sequence>(launches)), delay_(std::move(delay)) {}

  const Sequence &received(std::uint64_t launch, unsigned bin) const {
    return received_[bin].at(launch - first_);
  }

  std::size_t records(trace::LaunchId launch, std::uint32_t lane, const void *words, std::size_t count,
                      std::uint64_t tag) override {
    delay_();
    Sequence &sequence = received_.at(lane).at(static_cast<std::uint64_t>(launch) - first_);
    trace::RunCount run(nullptr);
    const std::size_t taken =
        run.scan(static_cast<const trace::Word *>(words), count, tag,
                 [&](const abi::RecordHead &head, const trace::Word *record, std::size_t length) {
                   trace::Word whole[abi::kMaxRecordWords];
                   trace::copyRecord(head, record, length, whole);
                   sequence.add(whole[0].bytes, length);
                 });
    trace::RecordCounts recordCounts;
    run.addTo(recordCounts);
    malformed += recordCounts.malformedWords != 0;
    return taken;
  }

  std::atomic<unsigned> malformed{0};

  // Not called.
  trace::ModuleId module(std::span<const std::byte>) override { return trace::kNoModule; }
  void launch(const trace::Launch &) override {}
  void timedLaunch(const trace::Launch &, const trace::LaunchEnd &) override {}
  void launchEnd(const trace::LaunchEnd &) override {}
  void allocation(const trace::Allocation &) override {}
  void free(const trace::Free &) override {}
  void imageObject(const trace::ImageObject &) override {}
  void copy(const trace::Copy &) override {}
  void set(const trace::Set &) override {}
  void synchronisation(const trace::Synchronisation &) override {}
  void host(const trace::HostBatch &) override {}
  void lose() override {}
  void flush() override {}
  std::uint64_t recordWords(trace::LaunchId) const override { return 0; }
  trace::Totals totals() const override { return {}; }
  bool failed() const override { return false; }
  bool full() const override { return false; }
  std::string fullReason() const override { return {}; }
  std::uint64_t gatheredBytes() const override { return 0; }
  bool finish() override { return true; }
  const std::string &path() const override { return path_; }

private:
  const std::uint64_t first_;
  std::vector<std::vector<Sequence>> received_; ///< by bin and launch
  const std::function<void()> delay_;
  const std::string path_;
};

} // namespace cupr::stress

#endif
