#include "host_rows.h"

#include "cells.h"

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
  if (isNew) {
    if (batch_.objects.empty())
      batch_.objects.emplace_back();
    batch_.places.push_back({0, known->second, {{std::string(function), file, line, 0}}});
    batch_.nodes.push_back({parent, 0, known->second, trace::HostNodeKind::Frame});
  }
  return known->second;
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
  std::string function, thread, path, file;
  std::uint64_t id = 0, threadId = 0;
  std::uint32_t line = 0;
  trace::HostCall call;
  cells.takeAll(id, function, threadId, thread, call.began, call.ended);
  if (id != batch_.calls.size())
    throw BrokenExport("calls of the host must be counted from 0");
  if (call.ended < call.began)
    throw BrokenExport("a call of the host must not end before it begins");
  for (const std::uint64_t order : cells.numbers())
    batch_.acts.push_back({order, id});
  cells.takeAll(path, file, line);
  const auto [name, isNew] = names_.try_emplace(function, static_cast<std::uint32_t>(batch_.names.size()));
  if (isNew)
    batch_.names.push_back(function);
  call.name = name->second;
  call.thread = threadOf(threadId, thread);
  call.node = nodeOf(path, file, line);
  batch_.calls.push_back(call);
}

void HostRows::addSample(const Row &row) {
  Cells cells(row);
  std::string thread, path, file;
  std::uint64_t id = 0, threadId = 0;
  std::uint32_t line = 0;
  trace::HostSample sample;
  cells.takeAll(id, sample.time, threadId, thread, sample.weight, path, file, line);
  if (id != batch_.samples.size())
    throw BrokenExport("samples of the host must be counted from 0");
  sample.thread = threadOf(threadId, thread);
  sample.node = nodeOf(path, file, line);
  batch_.samples.push_back(sample);
}

} // namespace cupr::analysis
