/// Writes the traces that the reference is compared on: small programs whose answers arithmetic knows, and
/// random ones. `reference_programs FOLDER COUNT`: COUNT random ones, numbered from 0, and as many of which only the host's calls matter.
#include "host_programs.h"
#include "program.h"

#include <random>

using namespace cupr;
using namespace cupr::reference;

namespace {

/// Streams, events, graphs, copies, sets, freed and reused memory, managed and pinned memory, filters,
/// accesses to other memory; some around the end of a page, which is that of the allocations.
void writeRandom(Program &p, unsigned seed) {
  std::mt19937 random(seed);
  p.trace.allocate(kPinned, 0x200, trace::MemoryKind::Host);
  p.trace.allocate(kManaged, 0x200, trace::MemoryKind::Managed);
  const std::uint64_t offset = seed % 3 == 2 ? 0xe40 : 0;
  const std::uint64_t places[] = {kA + offset, kA + offset, kB + offset, kPinned, kManaged};
  const std::pair<std::uint64_t, trace::StreamKind> streams[] = {
      {1, Legacy}, {5, Blocking}, {6, Blocking}, {7, NonBlocking}, {8, NonBlocking}};
  const std::uint64_t bytes = 100 + random() % 500;
  bool allocated = true;
  std::uint64_t graphs = 0;
  const auto launch = [&] {
    const unsigned records = 1 + random() % 8;
    const bool waits = random() % 4 == 0, isBroken = random() % 8 == 0;
    const std::uint64_t place = places[random() % 5];
    for (unsigned i = 0; i < records; ++i) {
      const std::uint32_t other = random() % 12 == 0 ? kSites - kOtherSites : 0,
                          site = other != 0 ? kOtherSites + random() % other : random() % kGlobalSites;
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
      if (waits && random() % 2)
        for (unsigned cta = 0; cta < (isBroken ? 3 : 4); ++cta)
          p.arrive(cta, random() % 3);
    }
    p.launch(random() % 2 ? "k(int*)" : "other(int*)",
             random() % 8 ? trace::CtaSelection{} : trace::CtaSelection{0, 2, 1});
  };
  std::vector<std::uint64_t> copied{0}; // orders of copies
  for (int step = 0; step < 14; ++step) {
    const auto &[stream, kind] = streams[random() % 5];
    p.trace.stream(stream, kind);
    if (random() % 3 == 0)
      p.trace.synchronise(static_cast<Sync>(random() % 5), random() % 2);
    const unsigned act = random() % 15;
    const std::uint64_t to = places[random() % 5] + random() % bytes,
                        from = places[random() % 5] + random() % bytes;
    if (act == 0) {
      p.trace.copy(static_cast<Copy>(random() % 4), random() % 4 ? to : kHost, random() % 4 ? from : kHost,
                   random() % 200, random() % 2 != 0, copied[random() % copied.size()]);
      copied.push_back(p.trace.order());
    } else if (act == 14) { // what is there already
      p.trace.copy(Copy::HostToDevice, to, kHost, 1 + random() % 200);
      copied.push_back(p.trace.order());
      if (random() % 2)
        p.trace.set(to, random() % 20);
      p.trace.copy(Copy::HostToDevice, to, kHost, 1 + random() % 200, false, copied.back());
    } else if (act == 4)
      p.trace.copy(Copy::DeviceToDevice, to, from, random() % 400, random() % 2 != 0);
    else if (act == 5) {
      const std::uint64_t row = random() % 60, pitch = row + random() % 3 * 20;
      p.trace.copyRows(to, random() % 4 ? pitch : row, from, random() % 4 ? pitch : 0, row, 1 + random() % 4);
    } else if (act == 1)
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
  for (const auto &[name, what] : kKnownPrograms)
    write(name, what);
  for (unsigned seed = 0; seed < std::stoul(argv[2]); ++seed)
    write("random_" + std::to_string(seed), [&](Program &program) { writeRandom(program, seed); });
  for (unsigned seed = 0; seed < std::stoul(argv[2]); ++seed)
    writeRandomHost(folder + "/host_" + std::to_string(seed) + ".cuprtrace", seed);
  return 0;
}
