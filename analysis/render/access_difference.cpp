/// A launch is named by its id in the trace before, if it has it.
#include "access_difference.h"

#include "analysis/model/names.h"
#include "analysis/output/json.h"
#include "analysis/output/text.h"

#include <fmt/format.h>

namespace cupr::analysis {

namespace {

const LaunchInfo &anyOf(const LaunchDifference &launch) {
  return launch.before ? *launch.before : *launch.after;
}

std::uint64_t idOf(const LaunchInfo &info) { return static_cast<std::uint64_t>(info.launch.id); }

const char *placeName(const ThreadAccess &access) {
  return access.space() == abi::MemorySpace::Global ? "unknown" : abi::spaceName(access.space());
}

std::string placeText(const ThreadAccess &access) {
  if (access.isInAllocation())
    return fmt::format("a{}+{:#x}", access.place, access.offset);
  return access.space() == abi::MemorySpace::Global
             ? "unknown"
             : fmt::format("{} {:#x}", placeName(access), access.offset);
}

const char *operationName(std::uint32_t operation) {
  return abi::operationName(static_cast<abi::Operation>(operation));
}

/// `kernel<<<4x2, 64>>>`, and why its records are not all that it accessed, if so.
std::string callText(const LaunchInfo &info) {
  const std::string state = launchState(info);
  return shown(fmt::format("{}<<<{}, {}>>>{}", shortName(info.kernel), dimText(info.launch.grid),
                           dimText(info.launch.block), state.empty() ? "" : " (" + state + ")"));
}

/// Operations that one made more often than the other.
std::string countsText(const LaunchDifference &launch) {
  std::string text;
  for (std::uint32_t i = 0; i < launch.countsBefore.size(); ++i)
    if (launch.countsBefore[i] != launch.countsAfter[i])
      text += fmt::format("{}{} {} and {}", text.empty() ? "" : ", ", operationName(i),
                          grouped(launch.countsBefore[i]), grouped(launch.countsAfter[i]));
  return text.empty() ? "as many accesses, but not the same" : text;
}

std::string oneSidedText(const LaunchInfo &info, const OneSidedAccesses &found) {
  std::string text =
      fmt::format("{}{} accesses only before, {} only after, by {} CTAs\n", found.areAll ? "" : "at least ",
                  grouped(found.before), grouped(found.after), grouped(found.ctas));
  for (const OneSidedAccess &example : found.examples) {
    const ThreadAccess &access = example.access;
    const trace::Dim3 cta = placeInGrid(info.launch.grid, access.cta);
    text +=
        fmt::format("  {} {} {} B cta ({},{},{}) thread {} {}{}\n", example.isBefore ? '<' : '>',
                    operationName(access.operation), access.bytes, cta.x, cta.y, cta.z, access.thread,
                    placeText(access), example.count == 1 ? "" : fmt::format(", {} times", example.count));
  }
  return text;
}

std::string launchText(const LaunchDifference &launch) {
  const std::string name = fmt::format("launch {} ", idOf(anyOf(launch)));
  if (!launch.before || !launch.after)
    return fmt::format("{}{} is only {}\n", name, callText(anyOf(launch)),
                       launch.before ? "before" : "after");
  if (!launch.matches())
    return fmt::format("{}{} is launch {} {} after\n", name, callText(*launch.before), idOf(*launch.after),
                       callText(*launch.after));
  const std::string call = callText(*launch.before), other = callText(*launch.after);
  const std::string calls = call == other ? call : call + " and " + other;
  return fmt::format("{}{}: {}", name, calls,
                     launch.oneSided ? oneSidedText(*launch.before, *launch.oneSided)
                                     : countsText(launch) + '\n');
}

std::string leftOutText(const ComparedTrace &before, const ComparedTrace &after) {
  std::string text;
  const auto say = [&](const char *what, std::uint64_t first, std::uint64_t second) {
    if (first == 0 && second == 0)
      return;
    text += fmt::format("{}{} {}", text.empty() ? "left out: " : "; ", what, grouped(first));
    if (first != second)
      text += fmt::format(" before, {} after", grouped(second));
  };
  say("accesses to local memory:", before.local, after.local);
  say("the offsets of accesses outside of known allocations:", before.unknown, after.unknown);
  return text.empty() ? text : text + '\n';
}

void write(Json &json, const ComparedTrace &trace) {
  json.beginObject().field("launches", trace.launches).field("accesses", trace.accesses);
  json.field("local", trace.local).field("unknown", trace.unknown).endObject();
}

void write(Json &json, const LaunchInfo *info, const OperationCounts &counts) {
  if (!info) {
    json.null();
    return;
  }
  json.beginObject().field("id", idOf(*info)).field("kernel", info->kernel);
  for (const auto &[name, dim] : {std::pair("grid", info->launch.grid), {"block", info->launch.block}})
    json.key(name).beginArray().value(dim.x).value(dim.y).value(dim.z).endArray();
  json.field("reason", launchState(*info)).key("accesses").beginObject();
  for (std::uint32_t i = 0; i < counts.size(); ++i)
    if (counts[i] != 0)
      json.field(operationName(i), counts[i]);
  json.endObject().endObject();
}

void write(Json &json, const LaunchInfo &info, const OneSidedAccess &example) {
  const ThreadAccess &access = example.access;
  const trace::Dim3 cta = placeInGrid(info.launch.grid, access.cta);
  json.beginObject().field("in", example.isBefore ? "before" : "after").field("count", example.count);
  json.field("operation", operationName(access.operation)).field("bytes", access.bytes);
  json.key("cta").beginArray().value(cta.x).value(cta.y).value(cta.z).endArray();
  json.field("thread", access.thread);
  if (access.isInAllocation())
    json.field("allocation", access.place);
  else
    json.field("space", placeName(access));
  json.field("offset", access.offset).endObject();
}

} // namespace

std::string accessDifferenceText(const AccessDifference &difference) {
  const ComparedTrace &before = difference.before, &after = difference.after;
  const std::string leftOut = leftOutText(before, after);
  if (difference.isSame())
    return fmt::format("the same {} accesses of threads in {} launches\n{}", grouped(before.accesses),
                       grouped(before.launches), leftOut);
  std::string text;
  for (const LaunchDifference &launch : difference.launches)
    text += launchText(launch);
  if (difference.different > difference.launches.size())
    text += fmt::format("and {} more launches\n", difference.different - difference.launches.size());
  return fmt::format("{} of {} launches differ\n{}{}", grouped(difference.different),
                     grouped(std::max(before.launches, after.launches)), text, leftOut);
}

std::string accessDifferenceJson(const AccessDifference &difference) {
  Json json(Json::Style::Indented);
  json.beginObject().field("same", difference.isSame()).key("before");
  write(json, difference.before);
  json.key("after");
  write(json, difference.after);
  json.field("different", difference.different).key("launches").beginArray();
  for (const LaunchDifference &launch : difference.launches) {
    json.beginObject().field("position", launch.position).key("before");
    write(json, launch.before, launch.countsBefore);
    json.key("after");
    write(json, launch.after, launch.countsAfter);
    json.key("oneSided");
    if (const auto &found = launch.oneSided) {
      json.beginObject().field("before", found->before).field("after", found->after);
      json.field("ctas", found->ctas).field("all", found->areAll).key("examples").beginArray();
      for (const OneSidedAccess &example : found->examples)
        write(json, *launch.before, example);
      json.endArray().endObject();
    } else {
      json.null();
    }
    json.endObject();
  }
  json.endArray().endObject();
  return json.take();
}

} // namespace cupr::analysis
