/// Addresses, sites and grids are the smallest that show what is meant.
#include "attacks.h"

#include "forge.h"

#include <cstring>

#include <random>
#include <zstd.h>

namespace cupr::test {

namespace {

using enum trace::StreamKind;
using Sync = trace::Synchronisation::Kind;
using abi::Operation;

constexpr std::uint64_t kA = std::uint64_t{1} << 40;
constexpr std::uint64_t kHuge = std::uint64_t{1} << 60;

// ---- records

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

/// Each is made of 4,096 requests: its place is known to be odd.
void splitRequests(const std::string &path, std::uint64_t bytes) {
  Forge forge(path);
  trace::Module module = Forge::moduleOf({{Operation::Load, 4096}});
  module.sites[0].flags = 1 << abi::kSitePartShift;
  forge.module(module);
  Batch batch;
  for (std::uint64_t i = 0; batch.hasRoom(); ++i)
    batch.strided(0, 0, kA + i % 64, 4099);
  forge.begin(forge.newLaunch());
  forge.chunk(batch, UINT64_MAX, bytes / 8);
  forge.end();
  forge.finish();
}

/// At the end of memory, where elements are cut.
void splitAtTheEnd(const std::string &path, std::uint64_t bytes) {
  Forge forge(path);
  trace::Module module = Forge::moduleOf({{Operation::Load, 4095}});
  module.sites[0].flags = 1 << abi::kSitePartShift;
  forge.module(module);
  Batch batch;
  while (batch.hasRoom())
    batch.strided(0, 0, UINT64_MAX - 4096, 64);
  forge.begin(forge.newLaunch());
  forge.chunk(batch, UINT64_MAX, bytes / 8);
  forge.end();
  forge.finish();
}

void wideAccesses(const std::string &path, std::uint64_t bytes) {
  Forge forge(path);
  forge.module(Forge::moduleOf({{Operation::Store, UINT32_MAX}, {Operation::Load, UINT32_MAX}}));
  Batch batch;
  for (std::uint32_t i = 0; batch.hasRoom(); ++i)
    batch.strided(i & 1, i % 1024, kA + i * 12345, 1000003);
  forge.begin(forge.newLaunch({1024, 1, 1}));
  forge.chunk(batch, UINT64_MAX, bytes / 8);
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

// ---- what the host does

void hugeTransfers(const std::string &path, std::uint64_t) {
  Forge forge(path);
  forge.put(forge.newSet(0, UINT64_MAX));
  forge.put(forge.newCopy(trace::CopyKind::HostToDevice, kA, 0, kHuge));
  forge.put(forge.newCopy(trace::CopyKind::DeviceToHost, 0, kA, kHuge));
  forge.finish();
}

void hugeReads(const std::string &path, std::uint64_t) {
  Forge forge(path);
  forge.module(Forge::moduleOf({{Operation::Store, 4}}));
  Batch batch;
  batch.strided(0, 0, kA, 4);
  forge.run(forge.newLaunch(), batch);
  for (int i = 0; i < 100; ++i)
    forge.put(forge.newCopy(trace::CopyKind::DeviceToHost, 0, 0, UINT64_MAX));
  forge.finish();
}

void manyRows(const std::string &path, std::uint64_t) {
  Forge forge(path);
  trace::Set set = forge.newSet(kA, 1);
  set.rows = UINT64_MAX;
  set.pitch = 3;
  forge.put(set);
  trace::Copy copy = forge.newCopy(trace::CopyKind::DeviceToHost, 0, kA, 1);
  copy.rows = kHuge;
  copy.sourcePitch = copy.destinationPitch = 5;
  forge.put(copy);
  forge.finish();
}

/// Each is what a GPU holds.
void manyLargeSets(const std::string &path, std::uint64_t bytes) {
  Forge forge(path);
  while (forge.bytes() < bytes)
    forge.put(forge.newSet(kA, std::uint64_t{64} << 30));
  forge.finish();
}

/// Sets that leave a value in every page, all different.
void manySmallSets(const std::string &path, std::uint64_t bytes) {
  Forge forge(path);
  for (std::uint64_t i = 0; forge.bytes() < bytes; ++i) {
    trace::Set set = forge.newSet(kA + 4096 * i, 1);
    set.rows = 512;
    set.pitch = 8;
    forge.put(set);
  }
  forge.finish();
}

void overlappingAllocations(const std::string &path, std::uint64_t bytes) {
  Forge forge(path);
  for (std::uint64_t i = 0; forge.bytes() < bytes; ++i) {
    forge.allocate(kA + i, kHuge);
    if (i % 2)
      forge.put(forge.newCopy(trace::CopyKind::HostToHost, kA + i, 0, 1));
  }
  forge.finish();
}

void allocationsAndLaunches(const std::string &path, std::uint64_t bytes) {
  Forge forge(path);
  forge.module(Forge::moduleOf({{Operation::Store, 4}, {Operation::Load, 4}}));
  for (std::uint64_t i = 0; forge.bytes() < bytes; ++i) {
    forge.allocate(kA + 4096 * i, 4096);
    Batch batch;
    batch.strided(i & 1, 0, kA + 4096 * i, 4);
    forge.run(forge.newLaunch(), batch);
  }
  forge.finish();
}

// ---- order

void manyStreams(const std::string &path, std::uint64_t bytes) {
  Forge forge(path);
  for (std::uint64_t i = 2; forge.bytes() < bytes; ++i) {
    trace::Set set = forge.newSet(kA, 4);
    set.asynchronous = true;
    set.stream = i % 16 ? i : 1;
    set.streamKind = i % 16 ? Blocking : Legacy;
    forge.put(set);
  }
  forge.finish();
}

/// As above, and every stream waits for all others by events.
void manyEvents(const std::string &path, std::uint64_t bytes) {
  Forge forge(path);
  for (std::uint64_t i = 2; forge.bytes() < bytes; ++i) {
    trace::Set set = forge.newSet(kA, 4);
    set.asynchronous = true;
    set.stream = i;
    set.streamKind = NonBlocking;
    forge.put(forge.newSynchronisation(Sync::StreamWaitEvent, i, NonBlocking, i - 1));
    forge.put(set);
    forge.put(forge.newSynchronisation(Sync::EventRecord, i, NonBlocking, i));
  }
  forge.finish();
}

void manyWaits(const std::string &path, std::uint64_t bytes) {
  Forge forge(path);
  for (std::uint64_t i = 2; forge.bytes() < bytes; ++i) {
    forge.put(forge.newSynchronisation(Sync::Stream, i, Blocking));
    forge.put(forge.newSynchronisation(Sync::Device, i, Blocking));
    forge.put(forge.newSynchronisation(Sync::EventRecord, i, Blocking, i));
  }
  forge.put(forge.newSet(kA, 4));
  forge.finish();
}

void cyclicWaits(const std::string &path, std::uint64_t bytes) {
  Forge forge(path);
  forge.module(Forge::moduleOf({{Operation::Store, 4}, {Operation::Load, 4}}));
  for (std::uint64_t i = 0; forge.bytes() < bytes / 8; ++i) {
    const std::uint64_t stream = 2 + i % 3;
    forge.put(forge.newSynchronisation(Sync::StreamWaitEvent, stream, NonBlocking, 2 + (stream - 1) % 3));
    Batch batch;
    batch.strided(i & 1, 0, kA, 4);
    trace::Launch launch = forge.newLaunch();
    launch.stream = stream;
    launch.streamKind = NonBlocking;
    forge.run(launch, batch);
    forge.put(forge.newSynchronisation(Sync::EventRecord, stream, NonBlocking, stream));
  }
  forge.finish();
}

/// Every node waits for all before it.
void denseGraph(const std::string &path, std::uint64_t bytes) {
  Forge forge(path);
  trace::GraphPlace place{1, 0, {}};
  for (std::uint32_t i = 0; forge.bytes() < bytes; ++i) {
    trace::Set set = forge.newSet(kA, 4);
    place.node = i;
    set.place = place;
    forge.put(set);
    place.after.push_back(i);
  }
  forge.finish();
}

/// Nodes wait for nodes that the trace doesn't hold, and so for all.
void wideGraph(const std::string &path, std::uint64_t bytes) {
  Forge forge(path);
  for (std::uint32_t i = 0; forge.bytes() < bytes; ++i) {
    trace::Set set = forge.newSet(kA, 4);
    set.place = {1 + i / 1000, 2 * i + 1, {}};
    for (std::uint32_t other = 0; other < std::min(i, 64u); ++other)
      set.place.after.push_back(2 * (i - std::min(i, 64u) + other));
    forge.put(set);
  }
  forge.finish();
}

// ---- communication

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

// ---- names, sites, texts

std::string repeated(const std::string &text, std::uint64_t bytes) {
  std::string result;
  while (result.size() + text.size() <= bytes)
    result += text;
  return result;
}

void hugeNames(const std::string &path, std::uint64_t bytes) {
  Forge forge(path);
  trace::Module module = Forge::moduleOf({{Operation::Store, 4}});
  module.strings[1] = repeated("dir/", bytes / 8);
  module.strings[2] = repeated("f<", bytes / 8);
  module.strings[3] = repeated("(cupr::argument::Trace ", bytes / 8);
  forge.module(module);
  Batch batch;
  batch.strided(0, 0, kA, 4);
  for (const char *name : {"_ZN1aIXadL_Z", "(cupr::argument::Trace", "<<<(((", "_ZSt4"}) {
    trace::Launch launch = forge.newLaunch();
    launch.kernel = repeated(name, bytes / 8);
    launch.mangled = launch.kernel;
    forge.run(launch, batch);
  }
  forge.finish();
}

/// The demangler, asked for names that are longer than what they are made of.
void mangledNames(const std::string &path, std::uint64_t bytes) {
  Forge forge(path);
  trace::Module module = Forge::moduleOf({{Operation::Store, 4}});
  std::string name = "_Z1fSt4pairIiiE";
  for (char at = '_'; name.size() < 400; at = at == '_' ? '0' : static_cast<char>(at == '9' ? 'A' : at + 1))
    name += std::string("St4pairI") + (at == '_' ? "S_S_E" : std::string("S") + at + "_S" + at + "_E");
  module.strings[2] = name;
  forge.module(module);
  Batch batch;
  batch.strided(0, 0, kA, 4);
  while (forge.bytes() < bytes / 64) {
    trace::Launch launch = forge.newLaunch();
    launch.kernel.clear();
    launch.mangled = name;
    forge.run(launch, batch);
  }
  forge.finish();
}

void manyKernels(const std::string &path, std::uint64_t bytes) {
  Forge forge(path);
  forge.module(Forge::moduleOf({{Operation::Store, 4}, {Operation::Load, 4}}));
  for (std::uint64_t i = 0; forge.bytes() < bytes; ++i) {
    Batch batch;
    batch.strided(i & 1, 0, kA, 4);
    trace::Launch launch = forge.newLaunch();
    launch.kernel = "k" + std::to_string(i) + "()";
    forge.run(launch, batch);
  }
  forge.finish();
}

void manyUntraced(const std::string &path, std::uint64_t bytes) {
  Forge forge(path);
  while (forge.bytes() < bytes) {
    trace::Launch launch = forge.newLaunch();
    launch.kernel = "k";
    launch.traced = false;
    launch.reason = "no";
    forge.put(launch);
  }
  forge.finish();
}

/// The same in batches, each with as much text as one may say.
void batchedLaunches(const std::string &path, std::uint64_t bytes) {
  Forge forge(path);
  while (forge.bytes() < bytes) {
    trace::ActBatch batch;
    batch.kernels = {{std::string(trace::kMaxBatchText / trace::kMaxBatchActs - 2, 'k'), "m", "r", ""}};
    batch.streams = {{1, Legacy, 0}};
    for (std::uint32_t i = 0; i < trace::kMaxBatchActs; ++i) {
      trace::ActBatch::Launch launch;
      launch.number = launch.order = i;
      launch.grid = launch.block = {1, 1, 1};
      batch.launches.push_back(launch);
    }
    forge.put(batch);
  }
  forge.finish();
}

/// Allocations and frees likewise.
void batchedAllocations(const std::string &path, std::uint64_t bytes) {
  Forge forge(path);
  for (std::uint64_t address = kA; forge.bytes() < bytes;) {
    trace::ActBatch batch;
    batch.calls = {std::string(trace::kMaxBatchText / trace::kMaxBatchActs, 'c')};
    for (std::uint32_t i = 0; i < trace::kMaxBatchActs; i += 2, address += 4) {
      batch.allocations.push_back({address, 4, i, trace::MemoryKind::Device, 0, 0});
      batch.frees.push_back({address, 0, i + 1, 0});
    }
    forge.put(batch);
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

void manyModules(const std::string &path, std::uint64_t bytes) {
  Forge forge(path);
  while (forge.bytes() < bytes) {
    forge.module(Forge::moduleOf({{Operation::Store, 4}, {Operation::Load, 4}}));
    Batch batch;
    batch.strided(forge.bytes() % 2, 0, kA, 4);
    forge.run(forge.newLaunch(), batch);
  }
  forge.finish();
}

/// Every site is inlined through all frames.
void deepFrames(const std::string &path, std::uint64_t bytes) {
  Forge forge(path);
  const auto count = static_cast<std::uint32_t>(bytes / 2 / 40);
  trace::Module module = Forge::moduleOf(
      std::vector<std::pair<Operation, std::uint32_t>>(count, {Operation::Store, 4}));
  for (std::uint32_t i = 0; i < count; ++i) {
    trace::Frame frame;
    frame.file = 1;
    frame.function = 2;
    frame.line = i;
    frame.parent = i == 0 ? abi::kNoFrame : i - 1;
    module.frames.push_back(frame);
    module.sites[i].frame = count - 1;
  }
  forge.module(module);
  forge.begin(forge.newLaunch());
  for (std::uint32_t site = 0; site < count;) {
    Batch batch;
    for (; site < count && batch.hasRoom(); ++site)
      batch.strided(site, 0, kA, 4);
    forge.chunk(batch);
  }
  forge.end();
  forge.finish();
}

/// Texts of 256 MiB each, packed to 20 KiB.
void expandingSources(const std::string &path, std::uint64_t bytes) {
  Forge forge(path);
  trace::Source source;
  source.textBytes = trace::kMaxSourceBytes;
  const std::string text(trace::kMaxSourceBytes, '\n');
  source.packed.resize(ZSTD_compressBound(text.size()));
  source.packed.resize(
      ZSTD_compress(source.packed.data(), source.packed.size(), text.data(), text.size(), 1));
  trace::Module module = Forge::moduleOf({});
  Batch batch;
  for (std::uint32_t i = 0; i * source.packed.size() < bytes; ++i) {
    trace::Site site;
    site.file = source.path = static_cast<std::uint32_t>(module.strings.size());
    site.line = 1;
    site.bytes = 4;
    site.operation = Operation::Store;
    module.strings.push_back("f" + std::to_string(i));
    module.sources.push_back(source);
    module.sites.push_back(site);
    batch.strided(i, 0, kA, 4);
  }
  forge.module(module);
  forge.run(forge.newLaunch(), batch);
  forge.finish();
}

void manyArguments(const std::string &path, std::uint64_t bytes) {
  trace::Process process = testProcess();
  process.arguments.assign(static_cast<std::size_t>(bytes / 16), "a");
  Forge forge(path, process);
  forge.finish();
}

void manyMissing(const std::string &path, std::uint64_t bytes) {
  Forge forge(path);
  trace::End end;
  end.lost = true;
  end.missing.assign(static_cast<std::size_t>(bytes / 64), "nothing at all");
  forge.finish(end);
}

// ---- times and texts that others obey

void wildTimes(const std::string &path, std::uint64_t) {
  trace::Process process = testProcess();
  process.startTime = UINT64_MAX;
  process.pid = UINT64_MAX;
  Forge forge(path, process);
  forge.module(Forge::moduleOf({{Operation::Store, 4}, {Operation::Load, 4}}));
  for (int i = 0; i < 64; ++i) {
    Batch batch;
    batch.strided(i & 1, 0, i % 3 ? kA : UINT64_MAX - 3, 4);
    trace::Launch launch = forge.newLaunch({1, 1, 1}, {1u << 31, 1u << 31, 1u << 31});
    launch.time = i % 4 ? UINT64_MAX : 0;
    launch.order = i % 5 ? UINT64_MAX : 0;
    launch.stream = launch.device = UINT32_MAX;
    launch.line = launch.dynamicShared = UINT32_MAX;
    trace::LaunchEnd end;
    end.time = i % 2 ? 0 : UINT64_MAX;
    end.began = UINT64_MAX;
    end.ended = i % 3 ? 1 : UINT64_MAX;
    end.waits = UINT64_MAX;
    forge.begin(launch);
    forge.chunk(batch);
    forge.end(end);
  }
  forge.finish();
}

void evilTexts(const std::string &path, std::uint64_t) {
  static constexpr const char *kTexts[] = {"\x1b[2J\x1b]0;owned\x07",
                                           "\xc2\x9b" "31m",
                                           "\xe2\x80\xae" "evil\xe2\x81\xa6",
                                           "\x7f\x08\x08\r\n\t\x9b",
                                           "\xff\xfe\xc0\xaf",
                                           "=HYPERLINK(\"http://x\",\"y\")",
                                           "+1+cmd|' /C calc'!A0",
                                           "-2+3",
                                           "@SUM(1)",
                                           "\t=1",
                                           "\r=1",
                                           "'quoted",
                                           "</script><img src=x onerror=alert(1)>",
                                           "<!--<script>",
                                           "\" onmouseover=\"alert(1)",
                                           "{{x}}${x}",
                                           "\xe2\x80\xa8\xe2\x80\xa9"};
  trace::Process process = testProcess();
  process.program = kTexts[0];
  process.arguments.assign(std::begin(kTexts), std::end(kTexts));
  process.deviceName = kTexts[1];
  Forge forge(path, process);
  for (const char *text : kTexts) {
    trace::Module module = Forge::moduleOf({{Operation::Store, 4}, {Operation::Load, 64}});
    module.strings[1] = module.strings[2] = module.strings[3] = text;
    trace::Source source;
    source.path = 1;
    source.textBytes = static_cast<std::uint32_t>(std::strlen(text));
    source.packed.resize(ZSTD_compressBound(source.textBytes));
    source.packed.resize(
        ZSTD_compress(source.packed.data(), source.packed.size(), text, source.textBytes, 1));
    module.sources.push_back(source);
    forge.module(module);
    trace::Allocation allocation;
    allocation.address = kA;
    allocation.bytes = 4096;
    allocation.call = allocation.name = text;
    forge.put(allocation);
    for (std::uint32_t site : {0u, 1u}) {
      Batch batch;
      for (std::uint64_t cta = 0; cta < 4; ++cta)
        batch.strided(site, cta, kA + 128 * (cta ^ site), 4);
      trace::Launch launch = forge.newLaunch({4, 1, 1});
      launch.kernel = launch.mangled = launch.file = text;
      forge.begin(launch);
      forge.chunk(batch);
      trace::LaunchEnd end;
      end.reason = text;
      forge.end(end);
    }
    trace::Launch launch = forge.newLaunch();
    launch.kernel = launch.reason = text;
    launch.traced = false;
    launch.module = trace::kNoModule;
    forge.put(launch);
    forge.put(trace::Free{kA, text, 0, 0});
  }
  forge.finish();
}

constexpr Attack kAttacks[] = {{"expanding-records", expandingRecords},
                               {"expanding-lanes", expandingLanes},
                               {"scattered-lanes", scatteredLanes},
                               {"split-requests", splitRequests},
                               {"split-at-the-end", splitAtTheEnd},
                               {"wide-accesses", wideAccesses},
                               {"huge-ranges", hugeRanges},
                               {"huge-transfers", hugeTransfers},
                               {"huge-reads", hugeReads},
                               {"many-rows", manyRows},
                               {"many-large-sets", manyLargeSets},
                               {"many-small-sets", manySmallSets},
                               {"overlapping-allocations", overlappingAllocations},
                               {"allocations-and-launches", allocationsAndLaunches},
                               {"many-streams", manyStreams},
                               {"many-events", manyEvents},
                               {"many-waits", manyWaits},
                               {"cyclic-waits", cyclicWaits},
                               {"dense-graph", denseGraph},
                               {"wide-graph", wideGraph},
                               {"dense-communication", denseCommunication},
                               {"dense-inside", denseInside},
                               {"dense-pairs", densePairs},
                               {"dense-dependences", denseDependences},
                               {"largest-grid", largestGrid},
                               {"huge-names", hugeNames},
                               {"mangled-names", mangledNames},
                               {"many-kernels", manyKernels},
                               {"many-untraced", manyUntraced},
                               {"batched-launches", batchedLaunches},
                               {"batched-allocations", batchedAllocations},
                               {"unseen-streams", unseenStreams},
                               {"many-modules", manyModules},
                               {"deep-frames", deepFrames},
                               {"expanding-sources", expandingSources},
                               {"many-arguments", manyArguments},
                               {"many-missing", manyMissing},
                               {"wild-times", wildTimes},
                               {"evil-texts", evilTexts}};

} // namespace

std::span<const Attack> attacks() { return kAttacks; }

} // namespace cupr::test
