#include "host_rows.h"

namespace cupr::analysis {

namespace {

constexpr std::string_view kBetween = " > ";

} // namespace

std::uint32_t HostRows::threadOf(std::uint64_t id, const std::string &name) {
  const auto [known, isNew] =
      threads_.try_emplace({id, name}, static_cast<std::uint32_t>(batch_.threads.size()));
  if (isNew)
    batch_.threads.push_back({id, name});
  return known->second;
}

std::uint32_t HostRows::step(std::uint32_t parent, std::string_view function, const std::string &file,
                             std::uint32_t line) {
  const auto [known, isNew] = nodes_.try_emplace({parent, std::string(function), file, line},
                                                 static_cast<std::uint32_t>(batch_.nodes.size()));
  if (isNew)
    add(parent, {std::string(function), file, line, 0});
  return known->second;
}

std::uint32_t HostRows::add(std::uint32_t parent, trace::HostFrame frame) {
  const auto node = static_cast<std::uint32_t>(batch_.nodes.size());
  if (batch_.objects.empty())
    batch_.objects.emplace_back();
  batch_.places.push_back({0, node, {std::move(frame)}});
  batch_.nodes.push_back({parent, 0, node, trace::HostNodeKind::Frame});
  return node;
}

std::uint32_t HostRows::nodeOf(Cells &cells) {
  std::string path, file;
  std::uint32_t line = 0;
  cells.takeAll(path, file, line);
  const auto frame = cells.next<std::uint64_t>();
  if (!frame)
    return nodeOf(path, file, line);
  if (*frame >= frames_.size())
    cells.bad("must be the id of an earlier host_frame");
  return frames_[*frame];
}

void HostRows::addFrame(const Row &row) {
  Cells cells(row);
  std::uint64_t id = 0;
  trace::HostFrame frame;
  cells.take(id);
  if (id != frames_.size())
    cells.bad("must count from 0");
  const auto caller = cells.next<std::uint64_t>();
  if (caller && *caller >= id)
    cells.bad("must be the id of an earlier host_frame");
  cells.takeAll(frame.function, frame.file, frame.line, frame.column);
  frames_.push_back(add(caller ? frames_[*caller] : trace::kNoHostIndex, std::move(frame)));
}

void HostRows::addLoop(const Row &row) {
  Cells cells(row);
  std::uint64_t id = 0;
  trace::HostLoop loop;
  auto &[kind, begin, end] = loop.extent;
  cells.takeAll(id, loop.isOfDevice);
  cells.takeNamed(kind, abi::kLoopKinds, abi::loopKindName);
  cells.takeAll(loop.file, begin.line, begin.column, end.line, end.column);
  if (!abi::isSound(loop.extent))
    cells.bad("must not be before its first token, whose line counts from 1");
  batch_.loops.push_back(std::move(loop));
}

std::uint32_t HostRows::nodeOf(const std::string &path, const std::string &file, std::uint32_t line) {
  std::uint32_t node = trace::kNoHostIndex;
  std::string_view left = path;
  while (!left.empty()) {
    const std::size_t end = left.find(kBetween);
    const bool isLast = end == left.npos;
    node = step(node, left.substr(0, end), isLast ? file : std::string(), isLast ? line : 0);
    left = isLast ? std::string_view() : left.substr(end + kBetween.size());
  }
  return node;
}

void HostRows::addCall(const Row &row) {
  Cells cells(row);
  std::string function, thread;
  std::uint64_t id = 0, threadId = 0;
  trace::HostCall call;
  cells.takeAll(id, function, threadId, thread, call.began, call.ended);
  if (id != batch_.calls.size())
    throw BrokenExport("calls of the host must be counted from 0");
  if (call.ended < call.began)
    throw BrokenExport("a call of the host must not end before it begins");
  for (const std::uint64_t order : cells.numbers())
    batch_.acts.push_back({order, id});
  call.node = nodeOf(cells);
  const auto [name, isNew] = names_.try_emplace(function, static_cast<std::uint32_t>(batch_.names.size()));
  if (isNew)
    batch_.names.push_back(function);
  call.name = name->second;
  call.thread = threadOf(threadId, thread);
  batch_.calls.push_back(call);
}

void HostRows::addSample(const Row &row) {
  Cells cells(row);
  std::string thread;
  std::uint64_t id = 0, threadId = 0;
  trace::HostSample sample;
  cells.takeAll(id, sample.time, threadId, thread, sample.weight);
  if (id != batch_.samples.size())
    throw BrokenExport("samples of the host must be counted from 0");
  sample.thread = threadOf(threadId, thread);
  sample.node = nodeOf(cells);
  batch_.samples.push_back(sample);
}

} // namespace cupr::analysis
