/// For the Cube viewer and its tools (cube_dump, Extra-P, and others that read call-path profiles of Score-P and Scalasca).
///
/// A file is a tar archive. `anchor.xml` has three trees: metrics; call paths, whose nodes name regions of the program; and the system, down to
/// threads. `N.index` and `N.data` have the figures of metric N: which nodes have any, by their place in a walk of the call paths, and a number for each of these and each thread.
/// Figures are a node's own ("exclusive"), whose walk goes to the first child before the next sibling. The reader adds them up.
///
/// Source: P. Saviankou, M. Knobloch, A. Visser, B. Mohr, "Cube v4: From Performance Report Explorer to Performance Analysis Tool" (2015); and files of CubeLib 4.8.
#include "profile_exports.h"

#include "analysis/metrics/profile_metric.h"
#include "analysis/output/markup.h"
#include "analysis/output/tar_writer.h"
#include "profile_places.h"

#include <fmt/format.h>
#include <iterator>

namespace cupr::analysis {
namespace {

constexpr std::uint64_t kStepsPerNode = 1000, kStepsPerFigure = 20;

/// Numbers in these files are little-endian; the index says so.
template <typename Number> void appendNumber(std::string &bytes, Number number) {
  bytes.append(reinterpret_cast<const char *>(&number), sizeof number);
}

const char *unitOf(MetricUnit unit) {
  switch (unit) {
  case MetricUnit::Count:
    return "occ";
  case MetricUnit::Nanoseconds:
    return "sec";
  case MetricUnit::Bytes:
    return "bytes";
  }
  return "";
}

/// Of Cube's words.
const char *paradigmOf(ContextKind kind) {
  switch (kind) {
  case ContextKind::Call:
  case ContextKind::Kernel:
  case ContextKind::DeviceFunction:
  case ContextKind::Access:
    return "cuda";
  default:
    return "compiler";
  }
}
const char *roleOf(ContextKind kind) {
  switch (kind) {
  case ContextKind::Loop:
    return "loop";
  case ContextKind::Access:
    return "code";
  case ContextKind::Signal:
  case ContextKind::UnknownCode:
  case ContextKind::Cut:
    return "artificial";
  default:
    return "function";
  }
}

class CubeWriter {
public:
  CubeWriter(const Model &model, const Profile &profile, ByteSink &sink)
      : model_(model), profile_(profile), tar_(sink), places_(model) {
    for (const ProfileMetric &metric : kProfileMetrics)
      if (metric.of(profile.all()) != 0)
        metrics_.push_back(&metric);
    std::vector<std::vector<std::uint32_t>> children(profile.nodes.size());
    for (std::uint32_t node = 1; node < profile.nodes.size(); ++node)
      children[profile.nodes[node].parent].push_back(node);
    children_ = std::move(children);
  }

  void write() {
    std::string regions, paths;
    walk(regions, paths);
    for (std::size_t metric = 0; metric < metrics_.size(); ++metric)
      writeFigures(metric);
    std::string anchor = R"(<?xml version="1.0" encoding="UTF-8"?>
<cube version="4.4">
  <attr key="Cube anchor.xml syntax version" value="4.4"/>
  <attr key="Creator" value="cuprewrite"/>
  <doc>
    <mirrors>
    </mirrors>
  </doc>
  <metrics>
)";
    for (std::size_t metric = 0; metric < metrics_.size(); ++metric)
      appendMetric(anchor, metric);
    anchor += "  </metrics>\n  <program>\n" + regions + paths + "  </program>\n";
    anchor += fmt::format(R"(  <system>
    <systemtreenode Id="0">
      <name>host</name>
      <class>machine</class>
      <systemtreenode Id="1">
        <name>{0}</name>
        <class>node</class>
        <locationgroup Id="0">
          <name>{0}</name>
          <rank>0</rank>
          <type>process</type>
          <location Id="0">
            <name>all threads</name>
            <rank>0</rank>
            <type>thread</type>
          </location>
        </locationgroup>
      </systemtreenode>
    </systemtreenode>
    <topologies>
    </topologies>
  </system>
</cube>
)",
                          markup(places_.program()));
    tar_.file("anchor.xml", anchor);
    tar_.finish();
  }

private:
  /// Call paths, and the regions that they name; and which node is where on the walk.
  void walk(std::string &regions, std::string &paths) {
    struct Open {
      std::uint32_t node;
      std::size_t next = 0; ///< child
    };
    std::vector<Open> open;
    const auto begin = [&](std::uint32_t node) {
      model_.limit().spend(kStepsPerNode, [] { return std::string("the call paths of its profile"); });
      order_.push_back(node);
      const ProfileNode &of = profile_.nodes[node];
      paths +=
          fmt::format("    <cnode id=\"{}\"{} calleeId=\"{}\">\n", node, placeOf(of), regionOf(of, regions));
      open.push_back({node});
    };
    begin(0);
    while (!open.empty()) {
      const std::vector<std::uint32_t> &children = children_[open.back().node];
      if (open.back().next < children.size()) {
        begin(children[open.back().next++]);
        continue;
      }
      paths += "    </cnode>\n";
      open.pop_back();
    }
  }

  static std::string placeOf(const ProfileNode &node) {
    return node.line == 0 ? "" : fmt::format(" line=\"{}\" mod=\"{}\"", node.line, markup(node.file));
  }

  std::size_t regionOf(const ProfileNode &node, std::string &regions) {
    const auto [number, isNew] = places_.numberOf(node);
    if (!isNew)
      return number;
    const std::string name = markup(places_.nameOf(node));
    const std::string line = node.line == 0 ? "-1" : std::to_string(node.line);
    fmt::format_to(std::back_inserter(regions),
                   R"(    <region id="{}" mod="{}" begin="{}" end="{}">
      <name>{}</name>
      <mangled_name>{}</mangled_name>
      <paradigm>{}</paradigm>
      <role>{}</role>
      <url></url>
      <descr>{}</descr>
    </region>
)",
                   number, markup(node.file.empty() ? node.object : node.file), line, line, name, name,
                   paradigmOf(node.kind), roleOf(node.kind), contextKindName(node.kind));
    return number;
  }

  void appendMetric(std::string &anchor, std::size_t number) const {
    const ProfileMetric &metric = *metrics_[number];
    fmt::format_to(std::back_inserter(anchor),
                   R"(    <metric id="{}" type="EXCLUSIVE">
      <disp_name>{}</disp_name>
      <uniq_name>{}</uniq_name>
      <dtype>{}</dtype>
      <uom>{}</uom>
      <url></url>
      <descr>{}</descr>
    </metric>
)",
                   number, metric.heading, metric.name, isTime(metric) ? "DOUBLE" : "UINT64",
                   unitOf(metric.unit), metric.what);
  }

  static bool isTime(const ProfileMetric &metric) { return metric.unit == MetricUnit::Nanoseconds; }

  void writeFigures(std::size_t number) {
    const ProfileMetric &metric = *metrics_[number];
    std::string places, data = "CUBEX.DATA";
    std::uint32_t count = 0;
    for (std::uint32_t place = 0; place < order_.size(); ++place) {
      model_.limit().spend(kStepsPerFigure, [] { return std::string("the figures of its profile"); });
      const std::uint64_t figure = metric.of(profile_.nodes[order_[place]].own);
      if (figure == 0)
        continue;
      ++count;
      appendNumber(places, place);
      if (isTime(metric))
        appendNumber(data, static_cast<double>(figure) * 1e-9);
      else
        appendNumber(data, figure);
    }
    std::string index = "CUBEX.INDEX";
    appendNumber(index, std::uint32_t{1}); // tells the order of bytes
    appendNumber(index, std::uint16_t{0}); // version
    appendNumber(index, std::uint8_t{1});  // sparse
    appendNumber(index, count);
    tar_.file(fmt::format("{}.index", number), index + places);
    tar_.file(fmt::format("{}.data", number), data);
  }

  const Model &model_;
  const Profile &profile_;
  TarWriter tar_;
  std::vector<const ProfileMetric *> metrics_;
  std::vector<std::vector<std::uint32_t>> children_; ///< by node
  std::vector<std::uint32_t> order_;                 ///< nodes, as the walk comes by
  ProfilePlaces places_;
};

} // namespace

void profileToCube(const Model &model, const Profile &profile, ByteSink &sink) {
  CubeWriter(model, profile, sink).write();
}

} // namespace cupr::analysis
