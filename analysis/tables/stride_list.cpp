#include "stride_list.h"

#include "analysis/output/json.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace cupr::analysis {

std::string strideList(const StrideVolume &volume) {
  constexpr std::size_t kMostStrides = 64;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sorted(volume.begin(), volume.end());
  std::ranges::sort(sorted, [](const auto &a, const auto &b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  Json json;
  json.beginArray();
  std::uint64_t others = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i < kMostStrides)
      json.beginObject().field("stride", sorted[i].first).field("bytes", sorted[i].second).endObject();
    else
      others += sorted[i].second;
  }
  if (others != 0)
    json.beginObject().key("stride").null().field("bytes", others).endObject();
  return json.endArray().take();
}

} // namespace cupr::analysis
