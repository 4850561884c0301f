/// Records that make much of little: they expand, scatter, split and reach far.
#include "attacks.h"
#include "forge.h"

#include <random>

namespace cupr::test {

namespace {

using abi::Operation;

/// 32,768 records that pack to a hundred bytes, over and over.
void expandingRecords(const std::string &path, std::uint64_t bytes) {
  Forge forge(path);
  forge.module(Forge::moduleOf({{Operation::Store, 4}}));
  Batch batch;
  while (batch.hasRoom())
    batch.strided(0, 0, kA, 4);
  forge.begin(forge.newLaunch());
  forge.chunk(batch, UINT64_MAX, bytes);
  forge.end();
  forge.finish();
}

/// The same, of lanes with an address each.
void expandingLanes(const std::string &path, std::uint64_t bytes) {
  Forge forge(path);
  forge.module(Forge::moduleOf({{Operation::Load, 4}}));
  abi::WarpAccess access{};
  access.laneMask = 0xffffffffu;
  for (unsigned lane = 0; lane < abi::kLanes; ++lane)
    access.address[lane] = kA + (lane * 7919 % 32) * 4096;
  Batch batch;
  while (batch.hasRoom())
    batch.add(access);
  forge.begin(forge.newLaunch());
  forge.chunk(batch, UINT64_MAX, bytes);
  forge.end();
  forge.finish();
}

void scatteredLanes(const std::string &path, std::uint64_t bytes) {
  Forge forge(path);
  forge.module(Forge::moduleOf({{Operation::Store, 1}, {Operation::Load, 1}}));
  std::mt19937_64 random(1);
  forge.begin(forge.newLaunch({1u << 20, 1, 1}));
  while (forge.bytes() < bytes) {
    Batch batch;
    while (batch.hasRoom()) {
      abi::WarpAccess access{};
      access.site = random() & 1;
      access.cta = random() % (1u << 20);
      access.laneMask = 0xffffffffu;
      for (unsigned lane = 0; lane < abi::kLanes; ++lane)
        access.address[lane] = random() >> 16;
      batch.add(access);
    }
    forge.chunk(batch);
  }
  forge.end();
  forge.finish();
}

/// Loads of elements that are made of a request for each byte, since their place is known to be odd: `add` puts
/// one warp's into the batch.
template <typename Add>
void loadInParts(const std::string &path, std::uint64_t bytes, std::uint32_t elementBytes, Add add) {
  Forge forge(path);
  trace::Module module = Forge::moduleOf({{Operation::Load, elementBytes}});
  module.sites[0].flags = 1 << abi::kSitePartShift;
  forge.module(module);
  Batch batch;
  for (std::uint64_t i = 0; batch.hasRoom(); ++i)
    add(batch, i);
  forge.begin(forge.newLaunch());
  forge.chunk(batch, UINT64_MAX, bytes);
  forge.end();
  forge.finish();
}

void splitRequests(const std::string &path, std::uint64_t bytes) {
  loadInParts(path, bytes, 4096,
              [](Batch &batch, std::uint64_t i) { batch.strided(0, 0, kA + i % 64, 4099); });
}

/// One load, over and over.
void loads(const std::string &path, std::uint64_t bytes, std::uint32_t elementBytes, std::int64_t stride) {
  Forge forge(path);
  forge.module(Forge::moduleOf({{Operation::Load, elementBytes}}));
  Batch batch;
  while (batch.hasRoom())
    batch.strided(0, 0, kA, stride);
  forge.begin(forge.newLaunch());
  forge.chunk(batch, UINT64_MAX, bytes);
  forge.end();
  forge.finish();
}

/// At the end of memory, where elements are cut.
void splitAtTheEnd(const std::string &path, std::uint64_t bytes) {
  loadInParts(path, bytes, 4095,
              [](Batch &batch, std::uint64_t) { batch.strided(0, 0, UINT64_MAX - 4096, 64); });
}

/// Loads of a column, 32 runs for a few bytes; and of elements that are cut at the borders of many pages.
void columns(const std::string &path, std::uint64_t bytes) { loads(path, bytes, 4, 4100); }
void pagedAccesses(const std::string &path, std::uint64_t bytes) { loads(path, bytes, 1u << 19, 1000003); }

void wideAccesses(const std::string &path, std::uint64_t bytes) {
  Forge forge(path);
  forge.module(Forge::moduleOf({{Operation::Store, UINT32_MAX}, {Operation::Load, UINT32_MAX}}));
  Batch batch;
  for (std::uint32_t i = 0; batch.hasRoom(); ++i)
    batch.strided(i & 1, i % 1024, kA + i * 12345, 1000003);
  forge.begin(forge.newLaunch({1024, 1, 1}));
  forge.chunk(batch, UINT64_MAX, bytes);
  forge.end();
  forge.finish();
}

/// Sizes that only the records know, of 4 GiB each.
void hugeRanges(const std::string &path, std::uint64_t) {
  Forge forge(path);
  forge.module(Forge::moduleOf({{Operation::Store, 0}, {Operation::Load, 0}}));
  Batch batch;
  for (std::uint32_t i = 0; i < 64; ++i, ++batch.records)
    batch.words.ranges(i & 1, i, kA, {UINT32_MAX, 1, UINT32_MAX});
  forge.run(forge.newLaunch({64, 1, 1}), batch);
  forge.finish();
}

constexpr Attack kRecordAttacks[] = {
    {"expanding-records", expandingRecords},
    {"expanding-lanes", expandingLanes},
    {"scattered-lanes", scatteredLanes},
    {"split-requests", splitRequests},
    {"split-at-the-end", splitAtTheEnd},
    {"columns", columns},
    {"paged-accesses", pagedAccesses},
    {"wide-accesses", wideAccesses},
    {"huge-ranges", hugeRanges},
};

} // namespace

std::span<const Attack> recordAttacks() { return kRecordAttacks; }

} // namespace cupr::test
