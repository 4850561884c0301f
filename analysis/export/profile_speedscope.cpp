/// A stack is a path of the tree, outermost first. The format: https://github.com/jlfwong/speedscope/wiki/Importing-from-custom-sources
#include "profile_exports.h"

#include "analysis/metrics/profile_metric.h"
#include "analysis/output/json.h"
#include "profile_places.h"

namespace cupr::analysis {

namespace {

constexpr std::uint64_t kStepsPerContext = 300;
constexpr std::size_t kLargeText = 1u << 20;

const char *unitName(MetricUnit unit) {
  switch (unit) {
  case MetricUnit::Count:
    return "none";
  case MetricUnit::Nanoseconds:
    return "nanoseconds";
  case MetricUnit::Bytes:
    return "bytes";
  }
  return "none";
}

class SpeedscopeWriter {
public:
  SpeedscopeWriter(const Model &model, const Profile &profile, ByteSink &sink)
      : model_(model), profile_(profile), sink_(sink), places_(model) {}

  void write() {
    json_.beginObject().field("$schema", "https://www.speedscope.app/file-format-schema.json");
    json_.field("exporter", "cuprewrite").field("name", places_.program());
    json_.key("shared").beginObject().key("frames").beginArray();
    for (const ProfileNode &node : profile_.nodes)
      frameOf(node);
    json_.endArray().endObject().key("profiles").beginArray();
    for (const ProfileMetric &metric : kProfileMetrics)
      if (metric.of(profile_.all()) != 0)
        write(metric);
    json_.endArray().field("activeProfileIndex", 0).endObject();
    sink_.write(json_.take() + '\n');
    sink_.finish();
  }

private:
  void frameOf(const ProfileNode &node) {
    const auto [number, isNew] = places_.numberOf(node);
    frames_.push_back(number);
    if (!isNew)
      return;
    json_.beginObject().field("name", places_.nameOf(node));
    if (!node.file.empty())
      json_.field("file", node.file);
    if (node.line != 0)
      json_.field("line", node.line);
    json_.endObject();
  }

  void write(const ProfileMetric &metric) {
    std::uint64_t all = 0;
    json_.beginObject()
        .field("type", "sampled")
        .field("name", metric.what)
        .field("unit", unitName(metric.unit));
    json_.key("samples").beginArray();
    for (std::uint32_t node = 0; node < profile_.nodes.size(); ++node) {
      const std::uint64_t weight = metric.of(profile_.nodes[node].own);
      if (weight == 0)
        continue;
      all += weight;
      std::vector<std::uint32_t> path{node};
      while (path.back() != 0)
        path.push_back(profile_.nodes[path.back()].parent);
      model_.limit().spend(kStepsPerContext * path.size(),
                           [] { return std::string("the stacks of its profile"); });
      json_.beginArray();
      for (auto at = path.rbegin(); at != path.rend(); ++at)
        json_.value(frames_[*at]);
      json_.endArray();
      if (json_.text().size() > kLargeText)
        sink_.write(json_.take());
    }
    json_.endArray().key("weights").beginArray();
    for (const ProfileNode &node : profile_.nodes)
      if (const std::uint64_t weight = metric.of(node.own); weight != 0)
        json_.value(weight);
    json_.endArray().field("startValue", 0).field("endValue", all).endObject();
  }

  const Model &model_;
  const Profile &profile_;
  ByteSink &sink_;
  ProfilePlaces places_;
  std::vector<std::size_t> frames_; ///< by node
  Json json_;
};

} // namespace

void profileToSpeedscope(const Model &model, const Profile &profile, ByteSink &sink) {
  SpeedscopeWriter(model, profile, sink).write();
}

} // namespace cupr::analysis
