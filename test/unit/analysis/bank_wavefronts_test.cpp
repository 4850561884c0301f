/// Wavefronts of requests of shared memory: what an H100 counted, what arithmetic gives, and random requests played through.
#include "analysis/engine/bank_wavefronts.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <functional>
#include <numeric>
#include <random>
#include <set>
#include <utility>

namespace bank_wavefronts_test {

using namespace cupr;
using namespace cupr::analysis;

namespace {

using Operation = abi::Operation;

struct Access {
  explicit Access(Operation operation, std::uint32_t bytes, std::uint32_t mask = ~0u,
                  const std::function<std::uint64_t(unsigned)> &address = {}) {
    site.operation = operation;
    site.bytes = bytes;
    record.site = &site;
    record.access.form = abi::RecordForm::Raw;
    record.access.laneMask = mask;
    for (unsigned lane = 0; address && lane < abi::kLanes; ++lane)
      record.access.address[lane] = address(lane);
  }
  Access(const Access &) = delete;
  Access &operator=(const Access &) = delete;
  BankFigures figures(BankWidth width = BankWidth::Four) const { return bankFigures(record, width); }

  trace::Site site{};
  Record record{};
};

/// Of all 32 lanes, `stride` bytes apart.
BankFigures strided(Operation operation, std::uint32_t bytes, std::uint64_t stride,
                    BankWidth width = BankWidth::Four) {
  return Access(operation, bytes, ~0u, [&](unsigned lane) { return 1024 + stride * lane; }).figures(width);
}

/// Played through: in each wavefront each bank serves a word, to all that want it, or to one of them.
std::uint64_t played(const std::array<std::uint64_t, 32> &address, std::uint32_t mask, std::uint32_t bytes,
                     bool together) {
  std::set<std::pair<unsigned, std::uint64_t>> waiting; // lane, word
  for (unsigned lane = 0; lane < 32; ++lane)
    for (std::uint32_t i = 0; (mask >> lane & 1) != 0 && i < bytes; ++i)
      waiting.emplace(lane, (address[lane] + i) / 4);
  std::uint64_t wavefronts = 0;
  for (; !waiting.empty(); ++wavefronts) {
    std::array<std::pair<unsigned, std::uint64_t>, 32> served{};
    std::array<bool, 32> isBusy{};
    for (const auto &[lane, word] : waiting)
      if (!std::exchange(isBusy[word % 32], true))
        served[word % 32] = {lane, word};
    std::erase_if(waiting, [&](const auto &of) {
      const auto &one = served[of.second % 32];
      return together ? one.second == of.second : one == of;
    });
  }
  return wavefronts;
}

} // namespace

TEST_CASE("a bank gives one word at a time, to all lanes that want it") {
  CHECK(strided(Operation::Load, 4, 4) == BankFigures{1, 0, 1, 1, 1, 1});
  CHECK(strided(Operation::Load, 4, 0).wavefronts == 1);
  CHECK(strided(Operation::Load, 4, 128) == BankFigures{1, 1, 32, 1, 32, 32});
  CHECK(strided(Operation::Store, 4, 128).wavefronts == 32);
  CHECK(strided(Operation::Load, 4, 132).wavefronts == 1);
  for (const unsigned words : {1, 2, 3, 4, 6, 8, 12, 16, 20, 31, 32, 33, 48, 64})
    CHECK(strided(Operation::Load, 4, 4ull * words).wavefronts == std::gcd(words, 32u));
}

TEST_CASE("parts of a word are not in each other's way") {
  CHECK(strided(Operation::Load, 1, 1).wavefronts == 1);
  CHECK(strided(Operation::Store, 2, 2).wavefronts == 1);
  CHECK(strided(Operation::Load, 1, 32).wavefronts == 8);
  CHECK(strided(Operation::Store, 2, 12).wavefronts == 1);
}

TEST_CASE("vectors are made in phases") {
  CHECK(strided(Operation::Load, 8, 8) == BankFigures{1, 0, 2, 2, 2, 1});
  CHECK(strided(Operation::Load, 16, 16) == BankFigures{1, 0, 4, 4, 4, 1});
  CHECK(strided(Operation::Load, 16, 128).wavefronts == 32);
  CHECK(strided(Operation::Load, 16, 128 + 16).wavefronts == 4);
  // Of 8 bytes, the lanes of one half alone are one phase.
  const auto inHalf = [](std::uint32_t mask) {
    return Access(Operation::Load, 8, mask, [](unsigned n) { return 8 * n; }).figures();
  };
  CHECK(inHalf(0xffff).wavefronts == 1);
  CHECK(inHalf(0x1ffff).wavefronts == 2);
}

TEST_CASE("phases of loads are one where lanes share addresses in pairs") {
  const auto figures = [](Operation operation, std::uint32_t bytes, unsigned lanes) {
    return Access(operation, bytes, ~0u, [&](unsigned n) { return std::uint64_t{bytes} * (n & ~lanes); })
        .figures();
  };
  // As counted on an H100. Lanes n and n ^ 1, then n and n ^ 2, then n and n ^ 4.
  CHECK(figures(Operation::Load, 8, 1) == BankFigures{1, 1, 2, 1, 2, 2});
  CHECK(figures(Operation::Load, 8, 2) == BankFigures{1, 1, 2, 1, 2, 2});
  CHECK(strided(Operation::Load, 8, 0) == BankFigures{1, 0, 1, 1, 1, 1});
  CHECK(strided(Operation::Load, 16, 0) == BankFigures{1, 0, 2, 2, 2, 1});
  CHECK(strided(Operation::Store, 8, 0) == BankFigures{1, 0, 2, 2, 2, 1});
  CHECK(strided(Operation::Store, 16, 0) == BankFigures{1, 0, 4, 4, 4, 1});
  CHECK(figures(Operation::Load, 8, 4).idealWavefronts == 2);
  // All pairs of the warp, or none: here lanes from 16 on have addresses of their own.
  const Access half(Operation::Load, 16, ~0u, [](unsigned n) { return 16ull * (n < 16 ? n & ~1u : n); });
  CHECK(half.figures().idealWavefronts == 4);
}

TEST_CASE("atomics take turns, lane by lane") {
  CHECK(strided(Operation::AtomicAdd, 4, 4) == BankFigures{1, 0, 1, 1, 1, 1});
  CHECK(strided(Operation::AtomicAdd, 4, 0) == BankFigures{1, 1, 32, 1, 1, 32});
  CHECK(strided(Operation::AtomicMax, 4, 128) == BankFigures{1, 1, 32, 1, 32, 32});
  CHECK(strided(Operation::AtomicCAS, 4, 4) == BankFigures{1, 0, 2, 2, 2, 1});
  CHECK(strided(Operation::AtomicCAS, 4, 8) == BankFigures{1, 1, 4, 2, 4, 2});
  CHECK(strided(Operation::AtomicExch, 8, 8) == BankFigures{1, 0, 2, 2, 2, 1});
  CHECK(strided(Operation::AtomicExch, 8, 0).wavefronts == 32);
}

TEST_CASE("words may be of 8 bytes") {
  CHECK(strided(Operation::Load, 8, 8, BankWidth::Eight) == BankFigures{1, 0, 1, 1, 1, 1});
  CHECK(strided(Operation::Load, 16, 16, BankWidth::Eight).wavefronts == 2);
  CHECK(strided(Operation::Load, 4, 8, BankWidth::Eight).wavefronts == 1);
  CHECK(strided(Operation::Load, 4, 16, BankWidth::Eight).wavefronts == 2);
  CHECK(strided(Operation::Load, 8, 256, BankWidth::Eight).wavefronts == 32);
}

TEST_CASE("what is wider than an instruction is several requests, and what no instruction makes is none") {
  CHECK(strided(Operation::Load, 12, 12) == BankFigures{3, 0, 3, 3, 3, 1});
  CHECK(strided(Operation::Load, 32, 32).requests == 2);
  Access bulk(Operation::Store, 64, 1, [](unsigned) { return 1024; });
  bulk.site.flags = abi::kSiteWhole << abi::kSitePartShift;
  CHECK(bulk.figures() == BankFigures{});
  Access row(Operation::Load, 16, 0xff, [](unsigned n) { return 1024 + 128 * n; }); // ldmatrix
  row.site.flags = abi::kSiteWhole << abi::kSitePartShift;
  CHECK(row.figures() == BankFigures{1, 1, 8, 1, 8, 8});
}

TEST_CASE("the bank table says who meets whom") {
  // A block 16 threads wide, rows of 32 words: threads 0 to 3 and 16 to 19 share banks 0 to 3, and so on.
  const Access access(Operation::Load, 4, ~0u,
                      [](unsigned n) { return 1024 + 128 * (n / 16) + 4 * (n % 16); });
  const std::vector<BankPhase> phases = bankPhases(access.record, BankWidth::Four);
  REQUIRE(phases.size() == 1);
  CHECK(phases[0].wavefronts == 2);
  REQUIRE(phases[0].banks.size() == 16);
  for (unsigned i = 0; i < 16; ++i) {
    const BankUse &bank = phases[0].banks[i];
    CHECK(bank.bank == i);
    CHECK(bank.turns == 2);
    REQUIRE(bank.words.size() == 2);
    CHECK(bank.words[0].lanes == 1u << i);
    CHECK(bank.words[1].lanes == 1u << (i + 16));
    CHECK(bank.words[1].word == bank.words[0].word + 32);
  }
}

TEST_CASE("random requests take as many wavefronts as when they are played through") {
  std::mt19937_64 random(7);
  const auto below = [&](std::uint64_t limit) { return random() % limit; };
  for (int round = 0; round < 2000; ++round) {
    const std::uint32_t bytes = 1u << below(5),
                        mask = round % 3 ? ~0u : static_cast<std::uint32_t>(random() | 1);
    const std::uint64_t places = 1ull << below(11);
    const Operation operations[] = {Operation::Load, Operation::Store, Operation::AtomicAdd};
    const Operation operation = operations[below(3)];
    const unsigned shared = below(4) == 0 ? 1u << below(3) : 0;
    std::array<std::uint64_t, 32> address{};
    for (unsigned lane = 0; lane < 32; ++lane)
      address[lane] = (lane & shared) != 0 ? address[lane ^ shared] : 1024 + bytes * below(places);
    const BankFigures figures =
        Access(operation, bytes, mask, [&](unsigned lane) { return address[lane]; }).figures();
    const auto arePairs = [&](unsigned apart) {
      for (unsigned lane = 0; lane < 32; ++lane)
        if ((mask >> lane & 1) != 0 && (mask >> (lane ^ apart) & 1) != 0 &&
            address[lane] != address[lane ^ apart])
          return false;
      return true;
    };
    unsigned phases = std::max(1u, bytes / 4);
    if (operation == Operation::Load && phases > 1 && (arePairs(1) || arePairs(2)))
      phases /= 2;
    std::uint64_t wavefronts = 0, byWords = 0, ideal = 0;
    for (unsigned phase = 0; phase < phases; ++phase) {
      std::uint32_t lanes = 0;
      for (unsigned lane = 0; lane < 32; ++lane)
        if (lane * phases / 32 == phase)
          lanes |= mask & 1u << lane;
      wavefronts += played(address, lanes, bytes, operation != Operation::AtomicAdd);
      byWords += played(address, lanes, bytes, true);
      ideal += lanes != 0;
    }
    INFO("operation " << abi::operationName(operation) << ", bytes " << bytes << ", mask " << mask);
    CHECK(figures.wavefronts == wavefronts);
    CHECK(figures.wordWavefronts == byWords);
    CHECK(figures.idealWavefronts == ideal);
    CHECK(figures.conflicted == (wavefronts > ideal));
  }
}

} // namespace bank_wavefronts_test
