/// What the host does, and in which order: huge and many copies and sets, allocations, streams, events, graphs.
#include "attacks.h"
#include "forge.h"

namespace cupr::test {

namespace {

using enum trace::StreamKind;
using Sync = trace::Synchronisation::Kind;
using abi::Operation;

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

/// Rows far apart, of which a launch has written one, or none.
void manyRowReads(const std::string &path, std::uint64_t) {
  Forge forge(path);
  forge.module(Forge::moduleOf({{Operation::Store, 4}}));
  const auto read = [&] {
    trace::Copy copy = forge.newCopy(trace::CopyKind::DeviceToHost, 0, kA, 255);
    copy.rows = kHuge;
    copy.sourcePitch = copy.destinationPitch = 10122903421855418154u;
    forge.put(copy);
  };
  read();
  Batch batch;
  batch.strided(0, 0, kA, 4);
  forge.run(forge.newLaunch(), batch);
  read();
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

/// As many calls as bytes ask for, or more: rows that are all alike pack to nothing.
void manyHostCalls(const std::string &path, std::uint64_t bytes) {
  Forge forge(path);
  trace::HostBatch batch;
  batch.names = {"cudaMalloc"};
  batch.threads = {{1, ""}};
  batch.nodes = {{trace::kNoHostIndex, trace::kNoHostIndex, 1, trace::HostNodeKind::UnknownCode}};
  forge.host(batch);
  batch = {};
  batch.calls.assign(trace::kMaxHostRows, {0, 0, 0, 0, 0});
  batch.acts.assign(trace::kMaxHostRows, {0, 0});
  batch.samples.assign(trace::kMaxHostRows, {0, 0, 0, UINT64_MAX});
  while (forge.bytes() < bytes)
    forge.host(batch);
  forge.finish();
}

/// One path that is as long as there are nodes, and each call comes from its end.
void deepHostPath(const std::string &path, std::uint64_t bytes) {
  Forge forge(path);
  trace::HostBatch batch;
  batch.names = {"cudaMalloc"};
  batch.threads = {{1, ""}};
  forge.host(batch);
  for (std::uint32_t next = 0; forge.bytes() < bytes && next < (1u << 24);) {
    batch = {};
    for (std::size_t i = 0; i < trace::kMaxHostRows; ++i, ++next)
      batch.nodes.push_back({next == 0 ? trace::kNoHostIndex : next - 1, trace::kNoHostIndex, next,
                             trace::HostNodeKind::UnknownCode});
    for (std::uint64_t i = 0; i < 1000; ++i)
      batch.calls.push_back({0, 0, next - 1, i, i + UINT64_MAX / 2});
    batch.samples.assign(1000, {0, 0, next - 1, UINT64_MAX / 2});
    forge.host(batch);
  }
  forge.finish();
}

/// Each place has all the texts that a message may hold.
void wideHostPlaces(const std::string &path, std::uint64_t bytes) {
  Forge forge(path);
  trace::HostBatch batch;
  batch.objects = {{"/a", ""}};
  forge.host(batch);
  batch = {};
  batch.places = {
      {0, 0, std::vector<trace::HostFrame>(trace::kMaxHostRows - 1, {"0123456", "89abcdef", 1, 1})}};
  while (forge.bytes() < bytes) {
    ++batch.places[0].offset;
    forge.host(batch);
  }
  forge.finish();
}

constexpr Attack kHostAttacks[] = {
    {"huge-transfers", hugeTransfers},
    {"huge-reads", hugeReads},
    {"many-rows", manyRows},
    {"many-row-reads", manyRowReads},
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
    {"many-host-calls", manyHostCalls},
    {"deep-host-path", deepHostPath},
    {"wide-host-places", wideHostPlaces},
};

} // namespace

std::span<const Attack> hostAttacks() { return kHostAttacks; }

} // namespace cupr::test
