/// Launches that all read what all have written.
#include "attacks.h"
#include "forge.h"

#include <random>

namespace cupr::test {

namespace {

using enum trace::StreamKind;
using abi::Operation;

/// As many pairs of CTAs as bytes allow: the readers take all with one access each.
void denseCommunication(const std::string &path, std::uint64_t bytes) {
  Forge forge(path);
  constexpr std::uint32_t kWriters = 1u << 20;
  forge.module(Forge::moduleOf({{Operation::Store, 1}, {Operation::Load, kWriters}}));
  forge.begin(forge.newLaunch({kWriters, 1, 1}));
  for (std::uint64_t cta = 0; cta < kWriters;) {
    Batch batch;
    for (; cta < kWriters && batch.hasRoom(); ++cta)
      batch.single(0, cta, kA + cta);
    forge.chunk(batch);
  }
  forge.end();
  forge.begin(forge.newLaunch({kWriters, 1, 1}));
  for (std::uint64_t cta = 0; cta < kWriters && forge.bytes() < bytes;) {
    Batch batch;
    for (; cta < kWriters && batch.hasRoom(); ++cta)
      batch.single(1, cta, kA);
    forge.chunk(batch);
  }
  forge.end();
  forge.finish();
}

/// The same inside one launch: readers come behind writers.
void denseInside(const std::string &path, std::uint64_t) {
  Forge forge(path);
  constexpr std::uint32_t kWriters = 1u << 16;
  forge.module(
      Forge::moduleOf({{Operation::Store, 1}, {Operation::Load, kWriters}, {Operation::Store, kWriters}}));
  forge.begin(forge.newLaunch({kWriters, 1, 1}));
  for (const std::uint32_t site : {0u, 1u, 2u, 0u, 1u})
    for (std::uint64_t cta = 0; cta < kWriters;) {
      Batch batch;
      for (; cta < kWriters && batch.hasRoom(); ++cta)
        batch.single(site, cta, site == 0 ? kA + cta : kA);
      forge.chunk(batch);
    }
  forge.end();
  forge.finish();
}

/// Every launch reads what every one before it wrote.
void densePairs(const std::string &path, std::uint64_t bytes) {
  Forge forge(path);
  forge.module(Forge::moduleOf({{Operation::Store, 1}, {Operation::Load, 1u << 16}}));
  for (std::uint64_t i = 0; forge.bytes() < bytes; ++i) {
    Batch batch;
    batch.single(1, 0, kA);
    batch.single(0, 0, kA + i);
    forge.run(forge.newLaunch(), batch);
  }
  forge.finish();
}

/// Every site reads what every site wrote.
void denseDependences(const std::string &path, std::uint64_t) {
  Forge forge(path);
  constexpr std::uint32_t kSites = 1u << 14;
  std::vector<std::pair<Operation, std::uint32_t>> sites;
  for (std::uint32_t i = 0; i < kSites; ++i)
    sites.emplace_back(i % 2 ? Operation::Load : Operation::Store, i % 2 ? kSites : 1);
  forge.module(Forge::moduleOf(sites));
  for (std::uint32_t first : {0u, 1u}) {
    Batch batch;
    for (std::uint32_t site = first; site < kSites; site += 2)
      batch.single(site, 0, first ? kA : kA + site);
    forge.run(forge.newLaunch(), batch);
  }
  forge.finish();
}

void largestGrid(const std::string &path, std::uint64_t bytes) {
  Forge forge(path);
  forge.module(Forge::moduleOf({{Operation::Store, 4}, {Operation::Load, 4}}));
  std::mt19937_64 random(1);
  for (std::uint32_t launches = 0; launches < 4; ++launches) {
    forge.begin(forge.newLaunch({launches % 2 ? 0x7fffffffu : 4, 65535, launches % 2 ? 65535u : 16}));
    while (forge.bytes() < bytes / 4 * (launches + 1)) {
      Batch batch;
      while (batch.hasRoom())
        batch.strided(launches & 1, random() % (launches % 2 ? 0xfffffffeu : 4 * 65535 * 16),
                      kA + random() % (1u << 24) * 4, 4, 0xffff);
      forge.chunk(batch);
    }
    forge.end();
  }
  forge.finish();
}

/// Launches that weren't seen, each on a stream of its own: of every dependence it is to be said whether one of
/// them may lie in it. The last launch reads what as many launches wrote, by turns.
void unseenStreams(const std::string &path, std::uint64_t bytes) {
  Forge forge(path);
  forge.module(Forge::moduleOf({{Operation::Store, 1}, {Operation::Load, 1u << 16}}));
  for (std::uint64_t stream = 2; forge.bytes() < bytes / 2; ++stream) {
    trace::Launch launch = forge.newLaunch();
    launch.kernel = "k";
    launch.traced = false;
    launch.reason = "no";
    launch.stream = stream;
    launch.streamKind = NonBlocking;
    forge.put(launch);
  }
  std::uint64_t writers = 0;
  for (; forge.bytes() < bytes * 3 / 4; ++writers) {
    Batch batch;
    batch.single(0, 0, kA + writers);
    forge.run(forge.newLaunch(), batch);
  }
  Batch batch;
  for (std::uint64_t i = 0; batch.hasRoom(); ++i)
    batch.single(1, i % 1024, kA + i * 7919 % (writers + 1));
  forge.begin(forge.newLaunch({1024, 1, 1}));
  forge.chunk(batch, UINT64_MAX, bytes);
  forge.end();
  forge.finish();
}

constexpr Attack kCommunicationAttacks[] = {
    {"dense-communication", denseCommunication},
    {"dense-inside", denseInside},
    {"dense-pairs", densePairs},
    {"dense-dependences", denseDependences},
    {"largest-grid", largestGrid},
    {"unseen-streams", unseenStreams},
};

} // namespace

std::span<const Attack> communicationAttacks() { return kCommunicationAttacks; }

} // namespace cupr::test
