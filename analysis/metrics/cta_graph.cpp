/// Edges are summed outside of memory; the graph itself must fit, and is left out beyond a limit.
#include "cta_graph.h"

#include <algorithm>
#include <cstdio>
#include <fcntl.h>
#include <fmt/format.h>
#include <metis.h>
#include <type_traits>
#include <unistd.h>

namespace cupr::analysis {

namespace {

static_assert(std::is_same_v<idx_t, std::int32_t>, "METIS must have been built with 32-bit indices");

// METIS takes some 100 bytes for each vertex and 50 for each edge; and, for 2, 4 and 8 GPUs together, so many
// steps of trace::WorkLimit.
constexpr std::uint64_t kBytesPerVertex = 100, kBytesPerEdge = 50, kStepsPerVertex = 6000,
                        kStepsPerEdge = 3000;
constexpr std::uint64_t kMostVertices = std::uint64_t{1} << 24;
constexpr std::uint64_t kMostEdges = std::uint64_t{1} << 24;
constexpr std::uint64_t kEdgeMemory = std::uint64_t{128} << 20;

struct Edge {
  std::uint32_t from, to; ///< from < to
  std::uint64_t bytes;
  bool before(const Edge &other) const { return from != other.from ? from < other.from : to < other.to; }
  void add(const Edge &other) { bytes += other.bytes; }
};

/// METIS writes to stdout when a part has too few vertices to be parted further. That is no error, and stdout
/// is for results.
class SilentStdout {
public:
  SilentStdout() {
    std::fflush(stdout);
    saved_ = ::dup(STDOUT_FILENO);
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    ::dup2(nowhere, STDOUT_FILENO);
    ::close(nowhere);
  }
  ~SilentStdout() {
    std::fflush(stdout);
    ::dup2(saved_, STDOUT_FILENO);
    ::close(saved_);
  }
  SilentStdout(const SilentStdout &) = delete;
  SilentStdout &operator=(const SilentStdout &) = delete;

private:
  int saved_;
};

/// So many bytes are 1, so that sums fit in 32 bits.
std::uint64_t unitFor(std::uint64_t sum) { return (sum >> 30) + 1; }
std::int32_t scaled(std::uint64_t bytes, std::uint64_t unit, std::int32_t least) {
  return std::max(least, static_cast<std::int32_t>(bytes / unit));
}

} // namespace

CtaGraph::CtaGraph(const Grids &grids, const Communication &communication, const trace::WorkLimit &limit)
    : vertices_(grids.vertices()) {
  if (!limit.has(kStepsPerVertex * vertices_, kBytesPerVertex * vertices_)) {
    absence_ = fmt::format("The graph of CTAs has {} vertices, more than a file of this size may ask for: "
                           "--any-size goes on.",
                           vertices_);
    return;
  }
  if (vertices_ > kMostVertices) {
    absence_ = fmt::format("The graph of CTAs has {} vertices, more than the {} that are parted.", vertices_,
                           kMostVertices);
    return;
  }
  SortedSum<Edge> edges(kEdgeMemory);
  communication.transfers->forEach([&](const Transfer &transfer) {
    if (transfer.dependence != kCommunication || transfer.source == kHost || transfer.destination == kHost)
      return;
    const std::uint32_t a = grids.ctaOf(transfer.source, transfer.sourceCta).vertex;
    const std::uint32_t b = grids.ctaOf(transfer.destination, transfer.destinationCta).vertex;
    if (a != b)
      edges.add({std::min(a, b), std::max(a, b), transfer.bytes});
  });
  std::uint64_t count = 0, sum = 0;
  firstNeighbour_.assign(vertices_ + 1, 0);
  edges.forEach([&](const Edge &edge) {
    sum += edge.bytes;
    if (++count > kMostEdges)
      return;
    ++firstNeighbour_[edge.from + 1];
    ++firstNeighbour_[edge.to + 1];
  });
  if (count == 0)
    absence_ = "No CTA reads what one with another index wrote: there is no graph to part.";
  else if (count > kMostEdges)
    absence_ =
        fmt::format("The graph of CTAs has {} edges, more than the {} that are parted.", count, kMostEdges);
  else if (!limit.has(kStepsPerVertex * vertices_ + kStepsPerEdge * count,
                      kBytesPerVertex * vertices_ + kBytesPerEdge * count))
    absence_ = fmt::format("The graph of CTAs has {} edges, more than a file of this size may ask for: "
                           "--any-size goes on.",
                           count);
  if (!absence_.empty())
    return;
  for (std::uint64_t vertex = 0; vertex < vertices_; ++vertex)
    firstNeighbour_[vertex + 1] += firstNeighbour_[vertex];
  neighbours_.resize(2 * count);
  edgeWeights_.resize(2 * count);
  std::vector<std::int32_t> next(firstNeighbour_.begin(), firstNeighbour_.end() - 1);
  const std::uint64_t unit = unitFor(2 * sum);
  edges.forEach([&](const Edge &edge) {
    for (const auto &[from, to] : {std::pair{edge.from, edge.to}, std::pair{edge.to, edge.from}}) {
      const auto place = static_cast<std::size_t>(next[from]++);
      neighbours_[place] = static_cast<std::int32_t>(to);
      edgeWeights_[place] = scaled(edge.bytes, unit, 1);
    }
  });
  std::vector<std::uint64_t> weights(vertices_);
  std::uint64_t weight = 0;
  communication.ctas->forEach([&](const EntityVolume &cta) {
    weights[grids.ctaOf(cta.launch, cta.index).vertex] += cta.bytes;
    weight += cta.bytes;
  });
  active_ = static_cast<std::uint64_t>(
      std::count_if(weights.begin(), weights.end(), [](std::uint64_t bytes) { return bytes != 0; }));
  for (const std::uint64_t bytes : weights)
    vertexWeights_.push_back(scaled(bytes, unitFor(weight), 0));
}

std::vector<std::uint16_t> CtaGraph::parts(unsigned devices) const {
  if (active_ < devices)
    return {};
  auto vertices = static_cast<idx_t>(vertices_), parts = static_cast<idx_t>(devices);
  idx_t constraints = 1, cut = 0;
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;
  options[METIS_OPTION_UFACTOR] = 30; // thousandths above the mean
  // METIS only reads what it takes by pointers to what isn't constant.
  const auto in = [](const std::vector<std::int32_t> &values) { return const_cast<idx_t *>(values.data()); };
  std::vector<idx_t> result(vertices_);
  const SilentStdout silent;
  // Its manual advises recursive bisection up to 8 parts.
  const auto part = devices <= 8 ? METIS_PartGraphRecursive : METIS_PartGraphKway;
  if (part(&vertices, &constraints, in(firstNeighbour_), in(neighbours_), in(vertexWeights_), nullptr,
           in(edgeWeights_), &parts, nullptr, nullptr, options, &cut, result.data()) != METIS_OK)
    return {};
  return {result.begin(), result.end()};
}

} // namespace cupr::analysis
