#include "row_references.h"

#include <algorithm>
#include <numeric>

namespace cupr::analysis {

RowReferences::RowReferences(const Model &model) : model_(model) {
  for (const trace::Module &module : model.modules()) {
    firstSites_.push_back(firstSites_.back() + module.sites.size());
    firstFrames_.push_back(firstFrames_.back() + module.frames.size());
  }
}

std::size_t RowReferences::moduleAt(const std::vector<std::uint64_t> &firsts, std::uint64_t id) {
  return static_cast<std::size_t>(std::ranges::upper_bound(firsts, id) - firsts.begin()) - 1;
}

const HostPaths &RowReferences::paths() {
  if (!paths_)
    paths_.emplace(model_);
  return *paths_;
}

const HostFrames &RowReferences::hostFrames() {
  if (!hostFrames_)
    hostFrames_.emplace(model_, paths());
  return *hostFrames_;
}

std::optional<std::uint64_t> RowReferences::callOf(std::uint64_t order) {
  return model_.host().acts.empty() ? std::nullopt : paths().callOf(order);
}

std::span<const std::uint64_t> RowReferences::ordersOf(std::size_t call) {
  const trace::HostBatch &host = model_.host();
  if (firstOrders_.empty()) {
    model_.limit().keep((host.calls.size() + host.acts.size()) * sizeof(std::uint64_t),
                        [] { return std::string("the acts of the host's calls"); });
    firstOrders_.resize(host.calls.size() + 1);
    for (const trace::HostAct &act : host.acts)
      ++firstOrders_[act.call + 1];
    std::partial_sum(firstOrders_.begin(), firstOrders_.end(), firstOrders_.begin());
    orders_.resize(host.acts.size());
    std::vector<std::size_t> next(firstOrders_.begin(), firstOrders_.end() - 1);
    for (const trace::HostAct &act : host.acts)
      orders_[next[act.call]++] = act.order;
  }
  return std::span(orders_).subspan(firstOrders_[call], firstOrders_[call + 1] - firstOrders_[call]);
}

const std::string &RowReferences::pathTo(std::uint32_t node) {
  if (texts_.empty())
    texts_.resize(model_.host().nodes.size());
  std::optional<std::string> &text = texts_[node];
  if (!text) {
    std::string path = paths().textOf(node);
    model_.limit().keep(path.size(), [] { return std::string("paths of the host's calls"); });
    text = std::move(path);
  }
  return *text;
}

} // namespace cupr::analysis
