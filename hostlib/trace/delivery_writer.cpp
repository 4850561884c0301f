/// The writers that keep nothing: one hands the records on, one only counts them, which tells how fast
/// records can be delivered.
#include "devicelib/abi/standard_error.h"
#include "devicelib/abi/thread_owned.h"
#include "launch_registry.h"
#include "receiver.h"
#include "summary.h"
#include "writer.h"

#include <atomic>
#include <cinttypes>
#include <cstdio>

namespace cupr::trace {

namespace {

class DeliveryWriter final : public Writer {
public:
  /// `receiver` may be null.
  DeliveryWriter(const char *sink, RecordReceiver *receiver, const Process &process,
                 const WriterOptions &options)
      : sink_(sink), receiver_(receiver), process_(process), options_(options) {}
  ~DeliveryWriter() override { finish(); }

  ModuleId module(std::span<const std::byte> siteTable) override {
    ModuleId id = kNoModule;
    contained([&] {
      if (std::optional<Module> module = ModuleRegistry::parse(siteTable))
        id = modules_.add(*module, [&](const Module &numbered) {
          if (receiver_)
            receiver_->module(numbered);
        });
    });
    return id;
  }

  void launch(const Launch &launch) override {
    contained([&] {
      if (launch.traced)
        launches_.open(launch.id,
                       std::make_shared<OpenLaunch>(launch.traced, modules_.weights(launch.module)));
      else
        launches_.pass();
      derived_ += launch.traced && launch.isDerived();
      if (receiver_)
        receiver_->launch(launch);
    });
  }

  void timedLaunch(const Launch &launch, const LaunchEnd &end) override {
    contained([&] {
      launches_.pass();
      if (!receiver_)
        return;
      receiver_->launch(launch);
      receiver_->launchEnd(totalsOf(end, {}, nullptr));
    });
  }

  std::size_t records(LaunchId launch, std::uint32_t channel, const void *words, std::size_t count,
                      std::uint64_t tag) override {
    std::size_t taken = count;
    contained([&] {
      const std::shared_ptr<OpenLaunch> open = launches_.find(launch);
      if (!open) {
        lost_ = true;
        return;
      }
      RunCount run(open->weights.get(), options_.tensorMaps);
      const auto *const from = static_cast<const Word *>(words);
      if (!receiver_) {
        taken = run.scan(from, count, tag, [](const abi::RecordHead &, const Word *, std::size_t) {});
      } else {
        auto &clean = abi::ThreadOwned<std::vector<Word>>::get();
        clean.resize(2 * count); // Follow records take twice the room when they are whole
        std::size_t words = 0;
        taken = run.scan(from, count, tag,
                         [&](const abi::RecordHead &head, const Word *record, std::size_t length) {
                           if (words + length > clean.size()) // boxes are many ranges
                             clean.resize(2 * (words + length));
                           copyRecord(head, record, length, clean.data() + words);
                           words += length;
                         });
        if (words != 0)
          receiver_->records(launch, channel, {clean.data(), words});
      }
      open->add(run);
    });
    return taken;
  }

  // Nothing is kept, so all are the same.
  std::optional<std::uint32_t> contents(std::span<const std::byte>) override { return 0; }
  std::optional<std::uint32_t> snapshot(std::uint64_t, std::uint64_t,
                                        const std::vector<std::uint32_t> &) override {
    return 0;
  }

  void launchEnd(const LaunchEnd &end) override {
    contained([&] {
      const std::shared_ptr<OpenLaunch> open = launches_.end(end.id);
      if (!open) {
        lost_ = true;
        return;
      }
      const LaunchTotals totals = totalsOf(end, open->counted(), open->weights.get());
      incomplete_ += open->traced && !totals.end.complete;
      if (receiver_)
        receiver_->launchEnd(totals);
    });
  }

  void allocation(const Allocation &) override {}
  void free(const Free &) override {}
  void imageObject(const ImageObject &) override {}
  void copy(const Copy &) override {}
  void set(const Set &) override {}
  void synchronisation(const Synchronisation &) override {}
  void host(const HostBatch &) override {}
  void lose() override { lost_ = true; }
  void flush() override {}

  std::uint64_t recordWords(LaunchId launch) const override { return launches_.words(launch); }
  Totals totals() const override { return launches_.totals(); }
  bool failed() const override { return failed_; }
  bool full() const override { return false; }
  std::string fullReason() const override { return {}; }
  bool needsAllRecords() const override { return receiver_ != nullptr; }
  std::uint64_t gatheredBytes() const override { return 0; }

  bool finish() override {
    if (!finished_.exchange(true))
      contained([&] {
        for (const auto &[id, launch] : launches_.endAll())
          incomplete_ += launch->traced;
        if (!receiver_)
          sayTotals();
        appendSummary(options_.summaryPath, sink_, process_, totals());
      });
    return !failed_ && !lost_ && incomplete_ == 0;
  }

  const std::string &path() const override { return path_; }

private:
  template <typename Body> void contained(Body body) {
    try {
      body();
    } catch (...) { // memory
      failed_ = true;
    }
  }

  void sayTotals() const {
    const Totals totals = launches_.totals();
    const FormCounts all = totals.recordCounts.total();
    std::string more;
    if (derived_ != 0)
      more = ", of which " + std::to_string(derived_) + " are derived: their accesses are not counted here";
    if (incomplete_ != 0)
      more += "; " + std::to_string(incomplete_) + " launches are incomplete";
    abi::say("cuprewrite: nothing is written (null sink): %" PRIu64 " records of %" PRIu64
             " accesses, %" PRIu64 " bytes, in %" PRIu64 " traced launches%s\n",
             all.records, all.accesses, all.words * sizeof(Word), totals.traced, more.c_str());
  }

  const char *const sink_;
  RecordReceiver *const receiver_;
  const Process process_;
  const WriterOptions options_;
  const std::string path_;
  std::atomic<bool> failed_{false}, lost_{false}, finished_{false};
  std::atomic<std::uint64_t> incomplete_{0}, derived_{0}; ///< launches
  ModuleRegistry modules_;
  LaunchRegistry<OpenLaunch> launches_;
};

} // namespace

std::unique_ptr<Writer> Writer::createNull(const Process &process, const WriterOptions &options) {
  return std::make_unique<DeliveryWriter>("null", nullptr, process, options);
}

std::unique_ptr<Writer> Writer::createCallback(RecordReceiver &receiver, const Process &process,
                                               const WriterOptions &options) {
  return std::make_unique<DeliveryWriter>("callback", &receiver, process, options);
}

} // namespace cupr::trace
