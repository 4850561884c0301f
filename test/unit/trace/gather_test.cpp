#include "hostlib/trace/gather.h"

#include <catch2/catch.hpp>

#include <cstring>

namespace cupr::trace {
namespace {

/// What has been handed over: words, and the sites of the records in their order.
struct Batches : Gather::Sink {
  std::vector<std::uint32_t> sites;
  void batch(const Batch &batch) override {
    std::size_t records = 0;
    for (std::size_t at = 0; at < batch.words.size(); ++records) {
      abi::RecordHead head;
      std::memcpy(&head, batch.words.data() + at, sizeof head);
      sites.push_back(abi::siteOf(head.siteAndForm));
      at += abi::recordWords(abi::formOf(head.siteAndForm), abi::activeLanes(head.laneMask));
    }
    CHECK(records == batch.records);
  }
};

/// A record of three words.
std::vector<Word> threeWords() {
  std::vector<Word> words(3);
  const abi::RecordHead head{abi::packSite(0, abi::RecordForm::Offset32), 0xf, 0, 0x1000, 0, 0};
  std::memcpy(words.data(), &head, sizeof head);
  return words;
}

/// An affine record, and `follows` short ones behind it; their sites count from 0.
std::vector<Word> page(unsigned follows) {
  std::vector<Word> words(2 + follows);
  const abi::RecordHead head{0, 0xffffffff, 0, 0x1000, 4, 0};
  std::memcpy(words.data(), &head, sizeof head);
  for (unsigned i = 0; i < follows; ++i) {
    const abi::FirstWord follow = abi::followRecord(i + 1, false, 4, 0x2000);
    std::memcpy(&words[2 + i], &follow, sizeof follow);
  }
  return words;
}

// A short record of one word becomes one of two: what is left of a page says less than what will come of it. The
// buffer's end can fall between any two of them.
TEST_CASE("short records at the end of a page find room") {
  for (unsigned before = 0; before < 8; ++before)
    for (unsigned follows = 500; follows < 520; ++follows) { // buffers begin with 1,024 words
      BufferPool pool(std::uint64_t{64} << 20);
      Gather gather(pool);
      Batches batches;
      RunCount run(nullptr);
      std::size_t records = 0;
      const auto take = [&](const std::vector<Word> &words, std::size_t brings) {
        CHECK(gather.take(0, words.data(), words.size(), 0, run, batches) == words.size());
        records += brings;
      };
      for (unsigned i = 0; i < before; ++i)
        take(threeWords(), 1);
      take(page(follows), 1 + follows);
      gather.flush(batches);
      REQUIRE(batches.sites.size() == records);
      for (unsigned i = 0; i <= follows; ++i)
        CHECK(batches.sites[before + i] == i);
    }
}

} // namespace
} // namespace cupr::trace
