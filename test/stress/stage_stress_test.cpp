/// A warp's stage (devicelib/abi/stage_writer.h) with real threads: each stands for a group of lanes that is anywhere in its code. All stage their
/// records in one stage, and whoever closes it takes out what is there.
#include "host_memory.h"

#include "devicelib/abi/stage_writer.h"

#include <catch2/catch.hpp>

#include <memory>
#include <random>
#include <vector>

namespace cupr::stress {
namespace {

/// Of abi::StageWriter.
class StageMemory : public HostMemory {
public:
  using HostMemory::HostMemory;
  u32 add(u32 *address, u32 value) const { return std::atomic_ref(*address).fetch_add(value, kOrder); }
  void mark(u32 *address, u32 bits) const { std::atomic_ref(*address).fetch_or(bits, kOrder); }

private:
  static constexpr std::memory_order kOrder =
      kHasFences ? std::memory_order_relaxed : std::memory_order_acq_rel;
};

/// A record is some words, each of which says whose it is, which of its group, and how many words it has.
struct Word {
  std::uint32_t group, record, words, index;
};
static_assert(sizeof(Word) == abi::kWordBytes);

class Warp {
public:
  Warp(unsigned bytes, unsigned groups, unsigned records)
      : stage_(std::make_unique<Place>()), writer_(&stage_->control, bytes, StageMemory(waits_, never_)) {
    std::vector<std::thread> threads;
    for (unsigned group = 0; group < groups; ++group)
      threads.emplace_back([=, this] { run(group, records, bytes); });
    for (std::thread &thread : threads)
      thread.join();
  }

  /// What was taken out, in its order.
  const std::vector<Word> &taken() const { return taken_; }
  unsigned wrongHeads() const { return wrongHeads_; }
  unsigned moves() const { return moves_; }
  const abi::StageControl &control() const { return stage_->control; }

private:
  struct Place {
    abi::StageControl control{};
    Word words[abi::kStageWordsMax];
  };

  void run(unsigned group, unsigned records, unsigned bytes) {
    std::mt19937 random(group);
    for (unsigned record = 0; record < records; ++record) {
      const unsigned words = 1 + random() % (bytes / abi::kWordBytes);
      stageRecord(group, record, words);
      if (random() % 16 == 0)
        unstage();
    }
    unstage();
  }

  void stageRecord(unsigned group, unsigned record, unsigned words) {
    for (unsigned time = 0;;) {
      std::uint32_t at;
      const abi::StageAnswer answer = writer_.claim(words * abi::kWordBytes, at);
      if (answer == abi::StageAnswer::Mine) {
        for (unsigned i = 0; i < words; ++i)
          stage_->words[at / abi::kWordBytes + i] = {group, record, words, i};
        return writer_.commit(at, words * abi::kWordBytes);
      }
      if (answer == abi::StageAnswer::Closing)
        move(at);
      else
        awaitOpening(time);
    }
  }

  void unstage() {
    for (unsigned time = 0; !writer_.isEmpty();) {
      std::uint32_t at;
      if (writer_.close(at) == abi::StageAnswer::Closing)
        return move(at);
      awaitOpening(time);
    }
  }

  void awaitOpening(unsigned &time) const {
    while (writer_.isClosing())
      memory_.pause(time);
  }

  /// Only the closing group is here: that `taken_` needs no lock is a part of the test.
  void move(unsigned bytes) {
    for (unsigned time = 0; !writer_.isWritten(bytes);)
      memory_.pause(time);
    for (unsigned word = 0; word < bytes / abi::kWordBytes; ++word) {
      const Word &one = stage_->words[word];
      wrongHeads_ += writer_.isHead(word) != (one.index == 0);
      taken_.push_back(one);
    }
    ++moves_;
    writer_.reopen();
  }

  std::atomic<unsigned long long> waits_{0};
  const std::atomic<bool> never_{false};
  const HostMemory memory_{waits_, never_};
  std::unique_ptr<Place> stage_;
  abi::StageWriter<StageMemory> writer_;
  std::vector<Word> taken_;
  unsigned wrongHeads_ = 0, moves_ = 0;
};

TEST_CASE("each record leaves a stage once, whole, and behind its group's earlier ones") {
  const unsigned groups = GENERATE(1u, 2u, 5u), bytes = GENERATE(256u, 1024u, 2048u);
  const unsigned records = kHasFences ? 20000 : 5000;
  const Warp warp(bytes, groups, records);
  std::vector<unsigned> next(groups);
  const std::vector<Word> &taken = warp.taken();
  std::size_t at = 0;
  while (at < taken.size()) {
    const Word head = taken[at];
    REQUIRE(head.group < groups);
    REQUIRE(head.record == next[head.group]);
    REQUIRE(head.words <= taken.size() - at);
    for (unsigned i = 0; i < head.words; ++i) {
      const Word &word = taken[at + i];
      REQUIRE((word.group == head.group && word.record == head.record && word.words == head.words &&
               word.index == i));
    }
    ++next[head.group];
    at += head.words;
  }
  CHECK(next == std::vector<unsigned>(groups, records));
  CHECK(warp.wrongHeads() == 0);
  CHECK(warp.moves() > 1);
  CHECK(warp.control().claimed == 0);
  CHECK(warp.control().committed == 0);
}

} // namespace
} // namespace cupr::stress
