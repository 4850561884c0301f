/// Connected pages are sets that grow together, each with its lowest page as the root (Tarjan 1975).
#include "page_deal.h"

#include <numeric>
#include <string>
#include <tuple>
#include <utility>

namespace cupr::analysis {

namespace {

constexpr std::uint64_t kStepsPerPage = 30;

/// Of pages, by their places among the connected ones.
class ConnectedPages {
public:
  explicit ConnectedPages(std::size_t count) : above_(count) {
    std::iota(above_.begin(), above_.end(), std::uint32_t{0});
  }
  std::uint32_t rootOf(std::uint32_t page) {
    while (above_[page] != page)
      page = above_[page] = above_[above_[page]];
    return page;
  }
  void connect(std::uint32_t a, std::uint32_t b) {
    a = rootOf(a);
    b = rootOf(b);
    above_[std::max(a, b)] = std::min(a, b);
  }

private:
  std::vector<std::uint32_t> above_; ///< one nearer to the root
};

} // namespace

PageDeal::PageDeal(std::vector<Move> moves, trace::WorkLimit &limit) {
  std::ranges::sort(moves, {}, [](const Move &move) {
    return std::tuple(move.source.begin, move.source.end, move.destination);
  });
  moves.erase(std::ranges::unique(moves).begin(), moves.end());
  findParts(moves, limit);
  ConnectedPages connected(shards_.size());
  for (const Move &move : moves) {
    const Range target = move.target();
    const std::uint64_t first = target.begin >> kPageShift, last = (target.end - 1) >> kPageShift;
    limit.spend(kStepsPerPage * (last - first + 1), [] { return std::string("copies on the device"); });
    const std::size_t to = placeOf(first);
    const std::uint64_t sourcePage = move.source.begin >> kPageShift;
    const std::size_t from = placeOf(sourcePage);
    for (std::uint64_t page = first; page <= last; ++page) {
      const std::uint64_t begin = std::max(target.begin, page << kPageShift) - target.begin;
      const std::uint64_t end =
          (page == last ? target.end - 1 : ((page + 1) << kPageShift) - 1) - target.begin;
      for (const std::uint64_t offset : {begin, end})
        connected.connect(
            static_cast<std::uint32_t>(to + (page - first)),
            static_cast<std::uint32_t>(from + (((move.source.begin + offset) >> kPageShift) - sourcePage)));
    }
  }
  for (const Part &part : parts_)
    for (std::uint64_t page = part.first; page < part.end; ++page) {
      const auto place = static_cast<std::uint32_t>(part.at + (page - part.first));
      const std::uint32_t root = connected.rootOf(place);
      // Roots are the lowest, so theirs is known.
      shards_[place] = root == place ? static_cast<std::uint8_t>(scattered(page)) : shards_[root];
    }
}

/// The pages of all that is moved.
void PageDeal::findParts(const std::vector<Move> &moves, trace::WorkLimit &limit) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> pages; // [first, end)
  for (const Move &move : moves)
    for (const Range &range : {move.source, move.target()})
      pages.emplace_back(range.begin >> kPageShift, ((range.end - 1) >> kPageShift) + 1);
  std::ranges::sort(pages);
  std::size_t count = 0;
  for (const auto &[first, end] : pages) {
    if (parts_.empty() || parts_.back().end < first)
      parts_.push_back({first, first, count});
    const std::uint64_t more = std::max(parts_.back().end, end) - parts_.back().end;
    // While this is made, another four bytes for each.
    limit.keep(5 * more, [] { return std::string("copies on the device"); });
    parts_.back().end += more;
    count += more;
  }
  limit.release(4 * count);
  shards_.resize(count);
}

} // namespace cupr::analysis
