/// The queue with real threads: many that write, as the warps of a device do (abi/bin_writer.h), and the
/// runtime's own that take pages (PageSource) and hand them to a writer (PageParser), while the consumer and
/// the copy engine make trouble.
///
/// Each thread stands for a stream, whose launches follow each other. What it wrote in each bin is compared
/// with what came, record by record in order, at the moment in which the launch is said to be over; where
/// records may be dropped, so are those that it had to drop with their count.
#include "fake_device.h"
#include "host_memory.h"
#include "recording_writer.h"

#include "devicelib/abi/bin_writer.h"
#include "hostlib/runtime/queue/page_parser.h"
#include "hostlib/runtime/queue/page_source.h"

#include <catch2/catch.hpp>

#include <bit>
#include <functional>
#include <list>
#include <memory>
#include <random>

namespace cupr::stress {
namespace {

constexpr unsigned kScale = kHasFences ? 4 : 2; // the thread sanitizer has its price

struct Options {
  enum class Pages { InDevice, OnHost } pages;
  unsigned streams, launches, records; ///< launches per stream, records per launch
  unsigned bins = 4;
  std::uint64_t firstLaunch = 1;
  unsigned consumers = 3;
  bool drops = false;    ///< instead of waiting
  bool isBroken = false; ///< more seems to have been committed to a page than anybody has
};

/// A queue with pages of the smallest size, two per bin, in ordinary memory.
class Queue {
public:
  explicit Queue(const Options &options)
      : bins_(options.bins), states_(2 * options.bins), published_(2 * options.bins), hostBins_(options.bins),
        evicted_(options.bins), waits_(abi::kWaitCounts), begins_(abi::kWaitCounts),
        drops_(options.drops ? abi::kLaunchTags : 0), pages_(makePages(2 * options.bins)),
        evictions_(makePages(options.bins)), staging_(makePages(2 * options.bins)) {
    const bool onHost = options.pages == Options::Pages::OnHost;
    link_ = {published_.data(), hostBins_.data(), bytes(evictions_),
             evicted_.data(),   waits_.data(),    options.drops ? drops_.data() : nullptr,
             begins_.data(),    &broken_};
    if (options.isBroken)
      states_[0].committed = 16;
    for (abi::Bin &bin : bins_)
      bin.limit = 2 * kPageBytes;
    memory.bins = options.bins;
    memory.pagesPerBin = 2;
    memory.pageBytes = kPageBytes;
    memory.published = published_.data();
    memory.hostBins = hostBins_.data();
    memory.evictions = onHost ? nullptr : bytes(evictions_);
    memory.evicted = evicted_.data();
    memory.broken = &broken_;
    memory.hostPages = onHost ? bytes(pages_) : nullptr;
    memory.staging = bytes(staging_);
    memory.stagingBlocks = onHost ? 0 : 2 * options.bins;
    Trace &trace = memory.argument;
    trace.bins = bins_.data();
    trace.states = states_.data();
    trace.pages = bytes(pages_);
    trace.link = &link_;
    trace.binMask = options.bins - 1;
    trace.pagesPerBinLog2 = 1;
    trace.pageBytesLog2 = std::countr_zero(kPageBytes);
  }
  Queue(const Queue &) = delete;
  Queue &operator=(const Queue &) = delete;

  static constexpr unsigned kPageBytes = 1024;
  host::QueueMemory memory;

private:
  struct alignas(16) Word {
    unsigned char bytes[16];
  };
  using Pages = std::vector<Word>;
  static Pages makePages(unsigned count) { return Pages(count * kPageBytes / 16); }
  static unsigned char *bytes(Pages &pages) { return pages.data()->bytes; }

  std::vector<abi::Bin> bins_;
  std::vector<abi::PageState> states_;
  std::vector<unsigned long long> published_;
  std::vector<abi::HostBin> hostBins_;
  std::vector<unsigned long long> evicted_, waits_, begins_, drops_;
  Pages pages_, evictions_, staging_;
  unsigned long long broken_ = 0;
  abi::Link link_{};
};

/// Records of one reservation: one of any form, or several that follow each other.
struct Reservation {
  unsigned char words[abi::kMaxRecordWords * abi::kWordBytes];
  unsigned count = 0;    ///< of words
  unsigned accesses = 0; ///< of threads

  Reservation(std::mt19937 &random, std::uint64_t launch) {
    abi::WarpAccess access{};
    access.site = random() % 100;
    access.cta = (random() % 1000) | abi::launchTag(launch);
    access.warp = random() % 32;
    access.sm = random() % 132;
    access.laneMask = random() % 4 ? 0xffffffff : random() | 1u;
    const unsigned kind = random() % 8;
    const std::uint64_t base = 0x700000000000 + random();
    for (unsigned lane = 0; lane < abi::kLanes; ++lane) {
      access.address[lane] = base + (kind < 5    ? lane * 4
                                     : kind == 5 ? random() % 4096
                                                 : std::uint64_t{random()} << 20);
      access.bytes[lane] = 1 + random() % 64;
    }
    count = kind == 7 ? abi::encodeRange(access, 0, words) : abi::encodeRecord(access, 0, words);
    firstWords_ = count;
    accesses = abi::activeLanes(access.laneMask);
    abi::RecordHead head;
    std::memcpy(&head, words, sizeof head);
    if (abi::formOf(head.siteAndForm) != abi::RecordForm::Affine)
      return;
    for (unsigned left = random() % 6; left; --left) {
      const auto site = static_cast<std::uint32_t>(random() % 100);
      const abi::FirstWord follow = abi::followRecord(site, false, 8, head.base + random() % 4096);
      std::memcpy(words + count++ * abi::kWordBytes, &follow, sizeof follow);
      accesses += abi::activeLanes(access.laneMask);
    }
  }

  void addTo(Sequence &sequence) const {
    sequence.add(words, firstWords_);
    abi::RecordHead head;
    std::memcpy(&head, words, sizeof head);
    for (unsigned at = firstWords_; at < count; ++at) {
      abi::FirstWord follow;
      std::memcpy(&follow, words + at * abi::kWordBytes, sizeof follow);
      const abi::RecordHead whole = abi::followed(head, follow);
      sequence.add(reinterpret_cast<const unsigned char *>(&whole), 2);
    }
  }

private:
  unsigned firstWords_ = 0; ///< of the first record
};

/// The whole of it, from the writing threads to the writer.
class Bench {
public:
  Bench(const Options &options, std::function<bool(Bench &, unsigned)> mayCopy,
        std::function<void(Bench &)> delay)
      : options_(options), queue_(options),
        device_([this, mayCopy](unsigned n) { return mayCopy(*this, n); }),
        launches_(options.streams * options.launches), next_(options.firstLaunch),
        newest_(options.firstLaunch), parsed_(options.bins),
        expected_(launches_, std::vector<Sequence>(options.bins)),
        writer_(options.firstLaunch, launches_, options.bins, [this, delay] { delay(*this); }),
        parser_(
            options.consumers, options.bins, writer_,
            [this] { return newest_.load(std::memory_order_acquire); },
            [this](const host::Page &page) {
              parsed_[page.bin].store((page.number + 1) * Queue::kPageBytes, std::memory_order_release);
              source_.release(page);
            }),
        source_(
            device_.driver(), queue_.memory, [this](const host::Page &page) { parser_.page(page); },
            [this] { parser_.wake(); }) {}

  void run() {
    running_ = options_.streams;
    for (unsigned stream = 0; stream < options_.streams; ++stream)
      streams_.emplace_back([this, stream] { runStream(stream); });
    std::thread mover([this] {
      while (!stops_)
        if (!source_.advance())
          std::this_thread::yield();
    });
    while (running_ || (ended_ < launches_ && source_.failure().empty())) {
      if (source_.takeWithoutDriver())
        ++evictions_;
      if (!source_.failure().empty())
        abandoned_ = true;
      endLaunches();
      std::this_thread::yield();
    }
    for (std::thread &stream : streams_)
      stream.join();
    stops_ = true;
    mover.join();
    parser_.stop();
  }

  /// How often a writing thread has waited.
  unsigned long long waits() const { return waits_; }
  /// Accesses that writing threads have dropped.
  unsigned long long drops() const { return drops_; }
  unsigned evictions() const { return evictions_; }
  bool isWriting() const { return running_ != 0; }
  std::size_t ended() const { return ended_; }
  std::size_t launches() const { return launches_; }
  /// Of the launches that have ended, those that were not as they were written.
  unsigned wrong() const { return wrong_; }
  unsigned malformed() const { return writer_.malformed; }
  FakeDevice &device() { return device_; }
  host::PageSource &source() { return source_; }

private:
  struct Ending {
    std::uint64_t launch;
    std::vector<unsigned long long> positions;
  };

  void runStream(unsigned stream) {
    std::mt19937 random(stream);
    try {
      for (unsigned i = 0; i < options_.launches; ++i)
        runLaunch(random);
    } catch (const Abandoned &) {
    }
    --running_;
  }

  void runLaunch(std::mt19937 &random) {
    Trace trace = queue_.memory.argument;
    {
      const std::scoped_lock lock(mutex_);
      trace.launch = next_++;
      newest_.store(trace.launch, std::memory_order_release);
    }
    std::vector<Sequence> &expected = expected_[trace.launch - options_.firstLaunch];
    const HostMemory memory(waits_, abandoned_);
    unsigned long long dropped = 0;
    for (unsigned i = 0; i < options_.records; ++i) {
      const unsigned index = random() % options_.bins;
      const Reservation reservation(random, trace.launch);
      const unsigned bytes = reservation.count * abi::kWordBytes;
      abi::BinWriter<HostMemory> bin(trace, index, memory);
      unsigned long long position;
      if (options_.drops) {
        if (!bin.claimOrDrop(abi::OneLane(), bytes, reservation.accesses, position)) {
          dropped += reservation.accesses;
          drops_ += reservation.accesses;
          continue;
        }
      } else {
        position = bin.claim(bytes);
        if (!bin.isReady(position, bytes))
          position = bin.makeReady(abi::OneLane(), position, bytes);
      }
      reservation.addTo(expected[index]);
      for (unsigned at = 0; at < bytes; at += abi::kWordBytes) {
        unsigned int part[4];
        std::memcpy(part, reservation.words + at, sizeof part);
        if (at == abi::kWordBytes)
          part[3] |= static_cast<unsigned>(bin.generation(position)) << 16;
        memory.storeWord(bin.address(position) + at, part[0], part[1], part[2], part[3]);
      }
      bin.commit(position, bytes);
    }
    Ending ending{trace.launch, {}};
    for (unsigned index = 0; index < options_.bins; ++index)
      ending.positions.push_back(abi::BinWriter<HostMemory>(trace, index, memory).seal());
    const std::scoped_lock lock(mutex_);
    if (options_.drops)
      wrong_ += dropped != trace.link->drops[trace.launch % abi::kLaunchTags];
    endings_.push_back(std::move(ending));
  }

  /// As DeviceQueue does it.
  void endLaunches() {
    const std::scoped_lock lock(mutex_);
    std::erase_if(endings_, [&](const Ending &ending) {
      for (unsigned bin = 0; bin < options_.bins; ++bin)
        if (parsed_[bin].load(std::memory_order_acquire) < ending.positions[bin])
          return false;
      for (unsigned bin = 0; bin < options_.bins; ++bin)
        wrong_ +=
            writer_.received(ending.launch, bin) != expected_[ending.launch - options_.firstLaunch][bin];
      ++ended_;
      return true;
    });
  }

  const Options options_;
  Queue queue_;
  std::atomic<unsigned> running_{0};
  std::atomic<unsigned> evictions_{0};
  FakeDevice device_;
  const std::size_t launches_;
  std::uint64_t next_;
  std::atomic<std::uint64_t> newest_;
  std::vector<std::atomic<std::uint64_t>> parsed_;
  std::vector<std::vector<Sequence>> expected_; ///< by launch and bin
  std::atomic<unsigned long long> waits_{0}, drops_{0};
  std::atomic<bool> abandoned_{false}, stops_{false};
  RecordingWriter writer_;
  host::PageParser parser_;
  host::PageSource source_;
  std::vector<std::thread> streams_;
  std::mutex mutex_; ///< guards the numbers of launches, and:
  std::list<Ending> endings_;
  std::atomic<std::size_t> ended_{0};
  unsigned wrong_ = 0;
};

void checkAll(const Bench &bench) {
  CHECK(bench.ended() == bench.launches());
  CHECK(bench.wrong() == 0);
  CHECK(bench.malformed() == 0);
  CHECK(bench.waits() > 0);
}

bool always(Bench &, unsigned) { return true; }
void atOnce(Bench &) {}

/// Stops the consumer now and then, until the writing threads have waited many times.
std::function<void(Bench &)> stopConsumer() {
  auto deliveries = std::make_shared<std::atomic<unsigned>>(0);
  return [deliveries](Bench &bench) {
    if (++*deliveries % 400 != 0)
      return;
    for (const auto waits = bench.waits(); bench.isWriting() && bench.waits() < waits + 2000;)
      std::this_thread::yield();
  };
}

TEST_CASE("64 streams share a queue whose pages lie in host memory") {
  Bench bench({.pages = Options::Pages::OnHost, .streams = 64, .launches = 3, .records = 60 * kScale}, always,
              atOnce);
  bench.run();
  checkAll(bench);
}

TEST_CASE("64 streams share a queue that is copied out of device memory") {
  Bench bench({.pages = Options::Pages::InDevice, .streams = 64, .launches = 3, .records = 60 * kScale},
              always, atOnce);
  bench.run();
  checkAll(bench);
}

TEST_CASE("the tags of launches begin anew") {
  Bench bench({.pages = Options::Pages::InDevice,
               .streams = 8,
               .launches = 25,
               .records = 20,
               .firstLaunch = 3 * abi::kLaunchTags - 100},
              always, atOnce);
  bench.run();
  checkAll(bench);
}

TEST_CASE("writers wait while the consumer has stopped") {
  for (const auto pages : {Options::Pages::OnHost, Options::Pages::InDevice}) {
    Bench bench({.pages = pages, .streams = 6, .launches = 4, .records = 150 * kScale}, always,
                stopConsumer());
    bench.run();
    checkAll(bench);
  }
}

TEST_CASE("writers go on while the consumer has stopped, and count what they drop") {
  for (const auto pages : {Options::Pages::OnHost, Options::Pages::InDevice}) {
    auto deliveries = std::make_shared<std::atomic<unsigned>>(0);
    Bench bench({.pages = pages, .streams = 6, .launches = 6, .records = 400 * kScale, .drops = true}, always,
                [deliveries](Bench &bench) {
                  if (++*deliveries % 400 != 0)
                    return;
                  for (const auto drops = bench.drops(); bench.isWriting() && bench.drops() < drops + 2000;)
                    std::this_thread::yield();
                });
    bench.run();
    CHECK(bench.ended() == bench.launches());
    CHECK(bench.wrong() == 0);
    CHECK(bench.malformed() == 0);
    CHECK(bench.drops() > 0);
  }
}

TEST_CASE("no copy ends while kernels run that drop records") {
  const auto mayCopy = [](Bench &bench, unsigned) { return !bench.isWriting(); };
  Bench bench({.pages = Options::Pages::InDevice, .streams = 4, .launches = 2, .records = 300, .drops = true},
              mayCopy, atOnce);
  bench.run();
  CHECK(bench.ended() == bench.launches());
  CHECK(bench.wrong() == 0);
  CHECK(bench.drops() > 0);
}

TEST_CASE("launches without records end") {
  Bench bench({.pages = Options::Pages::InDevice, .streams = 6, .launches = 20, .records = 0}, always,
              atOnce);
  bench.run();
  CHECK(bench.ended() == bench.launches());
  CHECK(bench.wrong() == 0);
}

TEST_CASE("pages find another way when copies are stuck") {
  unsigned evictionsBefore = 0;
  // Every 60th copy is stuck until three pages have been evicted.
  const auto mayCopy = [&](Bench &bench, unsigned copies) {
    if (copies % 60 != 59)
      evictionsBefore = bench.evictions();
    return copies % 60 != 59 || !bench.isWriting() || bench.evictions() >= evictionsBefore + 3;
  };
  Bench bench({.pages = Options::Pages::InDevice, .streams = 8, .launches = 3, .records = 250}, mayCopy,
              atOnce);
  bench.run();
  checkAll(bench);
  CHECK(bench.evictions() >= 3);
}

TEST_CASE("no copy ends while kernels run") {
  const auto mayCopy = [](Bench &bench, unsigned) { return !bench.isWriting(); };
  Bench bench({.pages = Options::Pages::InDevice, .streams = 4, .launches = 2, .records = 150}, mayCopy,
              atOnce);
  bench.run();
  checkAll(bench);
  CHECK(bench.evictions() >= 3);
}

TEST_CASE("a queue that is broken stops recording, and nobody waits any more") {
  for (const auto pages : {Options::Pages::OnHost, Options::Pages::InDevice}) {
    Bench bench({.pages = pages, .streams = 6, .launches = 3, .records = 300, .isBroken = true}, always,
                atOnce);
    bench.run();
    CHECK(bench.source().failure().find("can't be") != std::string::npos);
    CHECK(bench.ended() < bench.launches());
  }
}

TEST_CASE("what was not copied when the device failed is known") {
  const auto mayCopy = [](Bench &bench, unsigned copies) {
    if (copies == 50)
      bench.device().fail();
    return true;
  };
  Bench bench({.pages = Options::Pages::InDevice, .streams = 8, .launches = 4, .records = 500}, mayCopy,
              atOnce);
  bench.run();
  CHECK(bench.source().failure().find("the GPU stopped with") == 0);
  CHECK(bench.ended() < bench.launches());
  CHECK(bench.wrong() == 0);
  CHECK(bench.malformed() == 0);
  const host::PageSource::Loss loss = bench.source().loss();
  CHECK(loss.pages > 0);
  CHECK(loss.bytes <= loss.pages * Queue::kPageBytes);
}

} // namespace
} // namespace cupr::stress
