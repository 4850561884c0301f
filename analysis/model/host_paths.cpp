#include "host_paths.h"

#include "names.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace cupr::analysis {

namespace {

constexpr std::uint64_t kStepsPerFrame = 100;

std::string_view fileName(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? path : path.substr(slash + 1);
}

std::string nameWithout(const trace::HostBatch &host, const trace::HostNode &node) {
  switch (node.kind) {
  case trace::HostNodeKind::Cut:
    return "[path not known further out]";
  case trace::HostNodeKind::UnknownCode:
    return fmt::format("[code at {:#x}]", node.offset);
  case trace::HostNodeKind::Frame:
  case trace::HostNodeKind::SignalFrame:
    break;
  }
  return node.object == trace::kNoHostIndex
             ? fmt::format("[code at {:#x}]", node.offset)
             : fmt::format("{}+{:#x}", fileName(host.objects[node.object].path), node.offset);
}

} // namespace

HostPaths::HostPaths(const Model &model) : model_(model), host_(model.host()) {
  model.limit().keep(host_.acts.size() * sizeof calls_[0] +
                         host_.nodes.size() * (sizeof places_[0] + 2 * sizeof(std::string)),
                     [] { return std::string("call paths of the host"); });
  calls_.reserve(host_.acts.size());
  for (const trace::HostAct &act : host_.acts)
    calls_.emplace_back(act.order, act.call);
  std::ranges::sort(calls_);
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> places;
  for (std::uint32_t index = 0; const trace::HostPlace &place : host_.places) {
    if (!place.frames.empty() && !place.frames.back().function.empty())
      places.emplace(std::pair(place.object, place.offset), index);
    ++index;
  }
  for (const trace::HostNode &node : host_.nodes) {
    const bool isOfObject =
        node.kind == trace::HostNodeKind::Frame || node.kind == trace::HostNodeKind::SignalFrame;
    const auto known = isOfObject ? places.find({node.object, node.offset}) : places.end();
    places_.push_back(known == places.end() ? trace::kNoHostIndex : known->second);
    names_.push_back(known == places.end() ? nameWithout(host_, node) : std::string());
  }
}

std::optional<std::string> takeLaunchStub(std::vector<PathFrame> &path) {
  std::string name(path.empty() ? std::string_view() : path.back().function);
  const std::size_t at = name.find(kLaunchStub);
  if (at == std::string::npos)
    return std::nullopt;
  path.pop_back();
  return userName(name.erase(at, kLaunchStub.size()));
}

std::optional<std::uint64_t> HostPaths::callOf(std::uint64_t order) const {
  const auto found = std::ranges::lower_bound(calls_, order, {}, [](const auto &act) { return act.first; });
  return found == calls_.end() || found->first != order ? std::nullopt : std::optional(found->second);
}

std::vector<PathFrame> HostPaths::framesOf(std::uint32_t node) const {
  const trace::HostNode &of = host_.nodes[node];
  const std::string_view object =
      of.object == trace::kNoHostIndex ? std::string_view("") : host_.objects[of.object].path;
  std::vector<PathFrame> frames;
  if (places_[node] != trace::kNoHostIndex) {
    const std::vector<trace::HostFrame> &inside = host_.places[places_[node]].frames;
    for (auto frame = inside.rbegin(); frame != inside.rend(); ++frame)
      frames.push_back({PathFrame::Kind::Function,
                        frame->function.empty() ? "[inlined]" : std::string_view(frame->function),
                        frame->file, frame->line, frame->column, object});
  } else {
    const PathFrame::Kind kind = of.kind == trace::HostNodeKind::Cut           ? PathFrame::Kind::Cut
                                 : of.object == trace::kNoHostIndex            ? PathFrame::Kind::Unknown
                                 : of.kind == trace::HostNodeKind::UnknownCode ? PathFrame::Kind::Unknown
                                                                               : PathFrame::Kind::Function;
    frames.push_back({kind, names_[node], "", 0, 0, object});
  }
  if (of.kind == trace::HostNodeKind::SignalFrame)
    frames.push_back({PathFrame::Kind::Signal, "[signal]", "", 0, 0, ""});
  return frames;
}

std::vector<PathFrame> HostPaths::pathTo(std::uint32_t node) const {
  std::vector<std::uint32_t> nodes;
  for (; node != trace::kNoHostIndex; node = host_.nodes[node].parent)
    nodes.push_back(node);
  std::vector<PathFrame> path;
  for (auto at = nodes.rbegin(); at != nodes.rend(); ++at)
    for (const PathFrame &frame : framesOf(*at))
      path.push_back(frame);
  model_.limit().spend(kStepsPerFrame * path.size(), [] { return std::string("paths of the host's calls"); });
  return path;
}

std::string HostPaths::textOf(std::uint32_t node) const {
  std::string text;
  for (const PathFrame &frame : pathTo(node)) {
    text += text.empty() ? "" : " > ";
    text += frame.function;
  }
  model_.limit().spend(4 * text.size(), [] { return std::string("paths of the host's calls"); });
  return text;
}

std::string HostPaths::pathOfAct(std::uint64_t order) const {
  const std::optional<std::uint64_t> call = callOf(order);
  return call ? textOf(host_.calls[*call].node) : std::string();
}

} // namespace cupr::analysis
