/// Writes the traces that the reference is compared on: small programs whose answers arithmetic knows, and
/// random ones. `reference_programs FOLDER COUNT`: COUNT random ones, from seed 0 on.
#include "unit/trace/trace_builder.h"

#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace cupr;
using enum trace::StreamKind;
using Sync = trace::Synchronisation::Kind;
using Copy = trace::CopyKind;

namespace {

constexpr std::uint64_t kA = 0x10000, kB = 0x20000, kPinned = 0x30000, kManaged = 0x40000, kHost = 0x50000;
constexpr std::uint32_t kLoad = 0, kStore = 1, kLoad8 = 3, kStore1 = 5, kLoad12 = 6, kStore12 = 7,
                        kLoadAny = 8, kSites = 9;

/// A trace with arrays at kA and kB.
struct Program {
  explicit Program(const std::string &path) : trace(path) {
    test::SiteTableBlob blob;
    const std::pair<abi::Operation, std::uint32_t> sites[] = {
        {abi::Operation::Load, 4},  {abi::Operation::Store, 4},  {abi::Operation::AtomicAdd, 4},
        {abi::Operation::Load, 8},  {abi::Operation::Store, 16}, {abi::Operation::Store, 1},
        {abi::Operation::Load, 12}, {abi::Operation::Store, 12}, {abi::Operation::Load, 0}};
    std::uint32_t line = 1;
    for (const auto &[operation, bytes] : sites) {
      // Two sites in each line.
      blob.column(blob.site(operation, bytes, "a.cu", 1 + line / 2));
      if (bytes == 0)
        blob.space(abi::SpaceVerdict::Global, abi::kSiteRange);
      if (bytes == 12)
        blob.space(abi::SpaceVerdict::Global, 3 << abi::kSitePartShift); // in parts of 4 bytes
      ++line;
    }
    trace.table(blob);
    trace.stream(1, Legacy);
    trace.allocate(kA, 0x1000);
    trace.allocate(kB, 0x1000);
  }
  /// The 32 threads of CTA `cta` access 4 bytes each at `address`.
  void access(std::uint32_t site, std::uint64_t cta, std::uint64_t address, std::int64_t stride = 4) {
    words.strided(site, cta, 0, address, stride);
  }
  void launch(const std::string &kernel = "k(int*)", const trace::CtaSelection &ctas = {}) {
    const trace::LaunchId id = trace.launch(kernel, {4, 1, 1}, {96, 1, 1}, ctas);
    trace.records(id, words);
    trace.end(id);
    words.clear();
  }
  test::TraceBuilder trace;
  test::Words words;
};

const std::pair<const char *, std::function<void(Program &)>> kPrograms[] = {
    {"ring",
     [](Program &p) {
       for (std::uint64_t cta = 0; cta < 4; ++cta)
         p.access(kStore, cta, kA + 128 * cta);
       p.launch();
       for (std::uint64_t cta = 0; cta < 4; ++cta)
         p.access(kLoad, cta, kA + 128 * ((cta + 1) % 4));
       p.launch();
     }},
    {"structures",
     [](Program &p) {
       p.access(kLoad12, 0, kA, 12);
       p.access(kStore12, 0, kB, 12);
       p.launch();
     }},
    {"scratch", // 64 bytes go on, 128 are scratch of each launch
     [](Program &p) {
       for (int turn = 0; turn < 3; ++turn) {
         p.words.strided(kLoad, 0, 0, kB, 4, 0xffff);
         p.access(kStore, 0, kA);
         p.access(kLoad, 0, kA);
         p.words.strided(kStore, 0, 0, kB, 4, 0xffff);
         p.launch();
       }
     }},
    {"set_without_order",
     [](Program &p) {
       p.trace.set(kA, 128);
       p.trace.stream(7, NonBlocking);
       p.access(kLoad, 0, kA);
       p.launch();
     }},
    {"copied_twice",
     [](Program &p) {
       p.access(kStore, 0, kA);
       p.launch();
       for (const std::uint64_t bytes : {64, 128, 128})
         p.trace.copy(Copy::DeviceToHost, kHost, kA, bytes);
     }},
    {"inside_a_launch",
     [](Program &p) {
       p.access(kStore, 0, kA);
       for (std::uint64_t cta = 1; cta < 4; ++cta)
         p.access(kLoad, cta, kA);
       p.access(kLoad, 1, kB);
       p.access(kStore1, 2, kB, 1);
       p.launch();
     }},
    {"strides", // of 32 threads with 8 bytes each, the first four read what was written
     [](Program &p) {
       p.access(kStore1, 0, kA, 1);
       p.launch();
       p.access(kLoad8, 0, kA, 8);
       p.launch();
     }},
    {"diamond",
     [](Program &p) {
       p.trace.stream(5, NonBlocking);
       p.access(kStore, 0, kA);
       p.launch("first(int*)");
       p.trace.synchronise(Sync::EventRecord, 1);
       p.access(kLoad, 0, kA);
       p.launch("left(int*)");
       p.trace.stream(6, NonBlocking);
       p.trace.synchronise(Sync::StreamWaitEvent, 1);
       p.access(kLoad, 1, kA);
       p.launch("right(int*)");
     }},
};

/// Streams, events, graphs, copies, sets, freed and reused memory, managed and pinned memory, filters.
void writeRandom(Program &p, unsigned seed) {
  std::mt19937 random(seed);
  p.trace.allocate(kPinned, 0x200, trace::MemoryKind::Host);
  p.trace.allocate(kManaged, 0x200, trace::MemoryKind::Managed);
  const std::uint64_t places[] = {kA, kA, kB, kPinned, kManaged};
  const std::pair<std::uint64_t, trace::StreamKind> streams[] = {
      {1, Legacy}, {5, Blocking}, {6, Blocking}, {7, NonBlocking}, {8, NonBlocking}};
  const std::uint64_t bytes = 100 + random() % 500;
  bool allocated = true;
  std::uint64_t graphs = 0;
  const auto launch = [&] {
    const unsigned records = 1 + random() % 8;
    const std::uint64_t place = places[random() % 5];
    for (unsigned i = 0; i < records; ++i) {
      const std::uint32_t site = random() % kSites;
      const std::uint64_t base = place + random() % bytes / 4 * 4;
      if (site == kLoadAny) {
        p.words.ranges(site, random() % 4, base, {1 + random() % 40, 1 + random() % 40, 8});
        continue;
      }
      abi::WarpAccess access{};
      access.site = site;
      access.cta = random() % 4;
      access.warp = random() % 3;
      access.laneMask = random() % 2 ? 0xffffffffu : 1 + random() % 0xfffffffeu;
      const int shape = random() % 3;
      for (unsigned lane = 0; lane < abi::kLanes; ++lane)
        access.address[lane] = shape == 0   ? base + 4 * lane
                               : shape == 1 ? place + random() % bytes / 4 * 4
                                            : base + 1024 - 12 * lane;
      p.words.add(access);
    }
    p.launch(random() % 2 ? "k(int*)" : "other(int*)",
             random() % 8 ? trace::CtaSelection{} : trace::CtaSelection{0, 2, 1});
  };
  for (int step = 0; step < 14; ++step) {
    const auto &[stream, kind] = streams[random() % 5];
    p.trace.stream(stream, kind);
    if (random() % 3 == 0)
      p.trace.synchronise(static_cast<Sync>(random() % 5), random() % 2);
    const unsigned act = random() % 12;
    const std::uint64_t to = places[random() % 5] + random() % bytes,
                        from = places[random() % 5] + random() % bytes;
    if (act == 0)
      p.trace.copy(static_cast<Copy>(random() % 4), random() % 4 ? to : kHost, random() % 4 ? from : kHost,
                   random() % 200, random() % 2 != 0);
    else if (act == 1)
      p.trace.set(to, random() % 200, random() % 2 != 0);
    else if (act == 2) {
      if (allocated)
        p.trace.free(kA);
      else
        p.trace.allocate(kA, 0x300);
      allocated = !allocated;
    } else if (act == 3) {
      ++graphs;
      for (std::uint32_t node = 0; node < 3; ++node) {
        std::vector<std::uint32_t> after;
        for (std::uint32_t earlier = 0; earlier < node; ++earlier)
          if (random() % 2)
            after.push_back(earlier);
        p.trace.place({graphs, node, after});
        launch();
      }
      p.trace.place({});
    } else {
      launch();
    }
  }
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3)
    return 1;
  const std::string folder = argv[1];
  const auto write = [&](const std::string &name, const std::function<void(Program &)> &what) {
    Program program(folder + "/" + name + ".cuprtrace");
    what(program);
    program.trace.writer->finish();
  };
  for (const auto &[name, what] : kPrograms)
    write(name, what);
  for (unsigned seed = 0; seed < std::stoul(argv[2]); ++seed)
    write("random_" + std::to_string(seed), [&](Program &program) { writeRandom(program, seed); });
  return 0;
}
