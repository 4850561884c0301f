#include "page_stream.h"

#include "devicelib/abi/record.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <random>

namespace cupr::bench {

namespace {

constexpr unsigned kProcessors = 132, kBlocksPerProcessor = 8;

/// Processor cycles.
constexpr unsigned kHook = 700, kHookJitter = 400, kLatency = 600, kLatencyJitter = 400;

constexpr std::uint64_t kA = kMemory, kB = kA + 0x10000000u, kC = kB + 0x10000000u;

enum class After { Nothing, Latency, Barrier };

/// What a warp does: its steps, one after the other.
struct Kernel {
  std::string name;
  std::vector<SiteShape> sites;
  trace::Dim3 grid, block;
  unsigned steps;
  /// Fills in site, mask and addresses of step `step` of a warp of block (x, y); returns false if no lane
  /// takes part.
  std::function<bool(unsigned x, unsigned y, unsigned warp, unsigned step, abi::WarpAccess &access)> access;
  std::function<After(unsigned step)> after;
};

/// Runs a kernel's blocks over the multiprocessors.
class Simulation {
public:
  explicit Simulation(const Kernel &kernel) : kernel_(kernel) {
    stream_.name = kernel.name;
    stream_.sites = kernel.sites;
    stream_.grid = kernel.grid;
    stream_.block = kernel.block;
    open_.resize(kBins);
  }

  PageStream run() {
    warpsPerBlock_ = kernel_.block.x * kernel_.block.y / abi::kLanes;
    blocks_ = kernel_.grid.x * kernel_.grid.y;
    for (unsigned round = 0; round < kBlocksPerProcessor; ++round)
      for (unsigned processor = 0; processor < kProcessors; ++processor)
        startBlock(processor, round * 200);
    while (!ready_.empty()) {
      const Event event = ready_.top();
      ready_.pop();
      step(event);
    }
    for (std::uint32_t bin = 0; bin < kBins; ++bin)
      if (!open_[bin].empty())
        stream_.pages.push_back({bin, std::move(open_[bin])});
    return std::move(stream_);
  }

private:
  struct Block {
    unsigned number, processor, left, arrived = 0;
    std::vector<unsigned> waiting; ///< warps
  };
  struct Event {
    std::uint64_t time;
    std::uint32_t block, warp, step;
    bool operator<(const Event &other) const { return time > other.time; }
  };

  unsigned upTo(unsigned limit) { return static_cast<unsigned>(random_() % limit); }

  void startBlock(unsigned processor, std::uint64_t time) {
    if (nextBlock_ == blocks_)
      return;
    const auto index = static_cast<std::uint32_t>(running_.size());
    running_.push_back({nextBlock_++, processor, warpsPerBlock_, 0, {}});
    for (unsigned warp = 0; warp < warpsPerBlock_; ++warp)
      ready_.push({time + 20 * warp + upTo(100), index, warp, 0});
  }

  void step(Event event) {
    Block &block = running_[event.block];
    if (event.step == kernel_.steps) {
      if (--block.left == 0)
        startBlock(block.processor, event.time + 500);
      return;
    }
    record(block, event);
    const std::uint64_t done = event.time + kHook + upTo(kHookJitter);
    const After after = kernel_.after(event.step);
    ++event.step;
    event.time = done;
    if (after == After::Latency)
      event.time += kLatency + upTo(kLatencyJitter);
    if (after != After::Barrier) {
      ready_.push(event);
      return;
    }
    block.waiting.push_back(event.warp);
    if (block.waiting.size() < warpsPerBlock_)
      return;
    for (const unsigned warp : block.waiting)
      ready_.push({done + kLatency + upTo(kLatencyJitter), event.block, warp, event.step});
    block.waiting.clear();
  }

  void record(const Block &block, const Event &event) {
    abi::WarpAccess access{};
    if (!kernel_.access(block.number % kernel_.grid.x, block.number / kernel_.grid.x, event.warp, event.step,
                        access))
      return;
    access.cta = block.number;
    access.warp = event.warp;
    access.sm = block.processor;
    trace::Word words[abi::kMaxRecordWords];
    const std::uint32_t size =
        abi::encodeRecord(access, 0x77, words, kernel_.block.y > 1 ? kernel_.block.x : 0);
    const std::uint32_t bin = block.processor & (kBins - 1);
    std::vector<trace::Word> &page = open_[bin];
    if (page.size() + size > kPageWords) {
      pad(page);
      stream_.pages.push_back({bin, std::move(page)});
      page = {};
    }
    page.insert(page.end(), words, words + size);
    ++stream_.records;
    stream_.accesses += abi::activeLanes(access.laneMask);
  }

  static void pad(std::vector<trace::Word> &page) {
    const auto left = static_cast<std::uint32_t>(kPageWords - page.size());
    if (left == 0)
      return;
    const abi::FirstWord pad = abi::padRecord(left);
    const std::size_t at = page.size();
    page.resize(kPageWords);
    std::memcpy(page[at].bytes, &pad, sizeof(trace::Word));
  }

  const Kernel &kernel_;
  PageStream stream_;
  unsigned warpsPerBlock_ = 0, blocks_ = 0, nextBlock_ = 0;
  std::vector<Block> running_;
  std::vector<std::vector<trace::Word>> open_;
  std::priority_queue<Event> ready_;
  std::mt19937_64 random_{1};
};

/// Element `index` of an array for each lane of a warp of a one-dimensional block.
void eachLane(abi::WarpAccess &access, std::uint64_t base, std::uint64_t first, unsigned bytes) {
  access.laneMask = 0xffffffffu;
  for (unsigned lane = 0; lane < abi::kLanes; ++lane)
    access.address[lane] = base + (first + lane) * bytes;
}

Kernel vectorAdd(unsigned n) {
  return {"vector add",
          {{abi::Operation::Load, 4}, {abi::Operation::Load, 4}, {abi::Operation::Store, 4}},
          {n / 256, 1, 1},
          {256, 1, 1},
          3,
          [](unsigned x, unsigned, unsigned warp, unsigned step, abi::WarpAccess &access) {
            access.site = step;
            eachLane(access, step == 0 ? kA : step == 1 ? kB : kC, std::uint64_t{x} * 256 + warp * 32, 4);
            return true;
          },
          [](unsigned step) { return step == 1 ? After::Latency : After::Nothing; }};
}

Kernel stencil(unsigned n) {
  const auto edge = static_cast<unsigned>(std::sqrt(double(n))) / 16 * 16;
  return {"stencil",
          {{abi::Operation::Load, 4},
           {abi::Operation::Load, 4},
           {abi::Operation::Load, 4},
           {abi::Operation::Load, 4},
           {abi::Operation::Load, 4},
           {abi::Operation::Store, 4}},
          {edge / 16, edge / 16, 1},
          {16, 16, 1},
          6,
          [edge](unsigned blockX, unsigned blockY, unsigned warp, unsigned step, abi::WarpAccess &access) {
            const std::int64_t offsets[] = {0, -1, 1, -std::int64_t{edge}, edge, 0};
            access.site = step;
            for (unsigned lane = 0; lane < abi::kLanes; ++lane) {
              const unsigned x = blockX * 16 + lane % 16, y = blockY * 16 + warp * 2 + lane / 16;
              if (x < 1 || y < 1 || x >= edge - 1 || y >= edge - 1)
                continue;
              access.laneMask |= 1u << lane;
              access.address[lane] =
                  (step == 5 ? kB : kA) +
                  static_cast<std::uint64_t>((std::int64_t{y} * edge + x + offsets[step]) * 4);
            }
            return access.laneMask != 0;
          },
          [](unsigned step) { return step == 4 ? After::Latency : After::Nothing; }};
}

Kernel matmul(unsigned n) {
  const auto edge = std::max(16u, static_cast<unsigned>(std::sqrt(double(n))) / 64 * 16);
  const unsigned tiles = edge / 16;
  return {
      "matmul",
      {{abi::Operation::Load, 4}, {abi::Operation::Load, 4}, {abi::Operation::Store, 4}},
      {tiles, tiles, 1},
      {16, 16, 1},
      2 * tiles + 1,
      [edge, tiles](unsigned blockX, unsigned blockY, unsigned warp, unsigned step, abi::WarpAccess &access) {
        const unsigned start = step / 2 * 16;
        access.site = step == 2 * tiles ? 2 : step % 2;
        access.laneMask = 0xffffffffu;
        for (unsigned lane = 0; lane < abi::kLanes; ++lane) {
          const unsigned x = lane % 16, y = warp * 2 + lane / 16;
          const std::uint64_t a = std::uint64_t{blockY * 16 + y} * edge + start + x;
          const std::uint64_t b = std::uint64_t{start + y} * edge + blockX * 16 + x;
          const std::uint64_t c = std::uint64_t{blockY * 16 + y} * edge + blockX * 16 + x;
          access.address[lane] = access.site == 0 ? kA + a * 4 : access.site == 1 ? kB + b * 4 : kC + c * 4;
        }
        return true;
      },
      [tiles](unsigned step) { return step % 2 == 1 && step < 2 * tiles ? After::Barrier : After::Nothing; }};
}

Kernel histogram(unsigned n) {
  return {"histogram",
          {{abi::Operation::Load, 1}, {abi::Operation::AtomicAdd, 4}},
          {n / 256, 1, 1},
          {256, 1, 1},
          2,
          [random = std::mt19937_64(2)](unsigned x, unsigned, unsigned warp, unsigned step,
                                        abi::WarpAccess &access) mutable {
            access.site = step;
            eachLane(access, kA, std::uint64_t{x} * 256 + warp * 32, 1);
            if (step == 1)
              for (std::uint64_t &address : access.address)
                address = kB + random() % 256 * 4;
            return true;
          },
          [](unsigned) { return After::Latency; }};
}

Kernel gather(unsigned n) {
  return {"random gather",
          {{abi::Operation::Load, 4}, {abi::Operation::Load, 4}, {abi::Operation::Store, 4}},
          {n / 256, 1, 1},
          {256, 1, 1},
          3,
          [n, random = std::mt19937_64(3)](unsigned x, unsigned, unsigned warp, unsigned step,
                                           abi::WarpAccess &access) mutable {
            access.site = step;
            eachLane(access, step == 0 ? kA : kC, std::uint64_t{x} * 256 + warp * 32, 4);
            if (step == 1)
              for (std::uint64_t &address : access.address)
                address = kB + random() % n * 4;
            return true;
          },
          [](unsigned step) { return step < 2 ? After::Latency : After::Nothing; }};
}

/// Loads and stores anywhere in one array: what a CTA reads comes from hundreds of others.
Kernel exchange(unsigned n) {
  return {"random exchange",
          {{abi::Operation::Load, 4}, {abi::Operation::Load, 4}, {abi::Operation::Store, 4}},
          {n / 256, 1, 1},
          {256, 1, 1},
          3,
          [n, random = std::mt19937_64(5)](unsigned x, unsigned, unsigned warp, unsigned step,
                                           abi::WarpAccess &access) mutable {
            access.site = step;
            eachLane(access, kA, std::uint64_t{x} * 256 + warp * 32, 4);
            if (step != 0)
              for (std::uint64_t &address : access.address)
                address = kB + random() % n * 4;
            return true;
          },
          [](unsigned step) { return step < 2 ? After::Latency : After::Nothing; }};
}

Kernel divergent(unsigned n) {
  return {"divergent gather",
          {{abi::Operation::Load, 4}, {abi::Operation::Load, 8}, {abi::Operation::Store, 4}},
          {n / 256, 1, 1},
          {256, 1, 1},
          3,
          [n, random = std::mt19937_64(4)](unsigned, unsigned, unsigned, unsigned step,
                                           abi::WarpAccess &access) mutable {
            access.site = step;
            // From whole warps to single lanes.
            access.laneMask = ~0u;
            for (std::uint64_t halvings = random() % 6; halvings; --halvings)
              access.laneMask &= static_cast<std::uint32_t>(random());
            for (std::uint64_t &address : access.address)
              address = kB + random() % n * 8;
            return access.laneMask != 0;
          },
          [](unsigned step) { return step < 2 ? After::Latency : After::Nothing; }};
}

} // namespace

std::vector<PageStream> pageStreams(unsigned elements, const std::string &only) {
  std::vector<PageStream> streams;
  for (const Kernel &kernel : {vectorAdd(elements), stencil(elements), matmul(elements), histogram(elements),
                               gather(elements), exchange(elements), divergent(elements)})
    if (only.empty() || kernel.name == only)
      streams.push_back(Simulation(kernel).run());
  return streams;
}

} // namespace cupr::bench
