#include "roofline.h"

#include "analysis/engine/program_places.h"
#include "instruction_class.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>

namespace cupr::analysis {

namespace {

constexpr std::string_view kSharedMemory = "memory.shared.";

/// Bytes of each thread, of an instruction that accesses shared memory; 0: it doesn't.
std::uint64_t sharedBytesOf(std::string_view instructionClass) {
  if (!instructionClass.starts_with(kSharedMemory))
    return 0;
  const std::string_view last = instructionClass.substr(instructionClass.rfind('.') + 1);
  std::uint32_t bits = 0;
  std::from_chars(last.data(), last.data() + last.size(), bits);
  return bits / 8;
}

/// Of a multiprocessor, since Volta (CUDA C++ Programming Guide, "Compute Capabilities").
constexpr unsigned kSchedulers = 4;

std::uint64_t countOf(const trace::Dim3 &all) { return std::uint64_t{all.x} * all.y * all.z; }

} // namespace

std::uint64_t RooflineWork::operationsOf(std::string_view precision) const {
  std::uint64_t sum = 0;
  for (const auto &[of, count] : operations)
    sum += of.starts_with(precision) ? count : 0;
  return sum;
}

std::uint64_t RooflineWork::floatingOperations() const {
  return operationsOf("fp") + operationsOf("bf") + operationsOf("tensor.");
}

RooflineWork &RooflineWork::operator+=(const RooflineWork &more) {
  executed += more.executed;
  for (const auto &[precision, count] : more.operations)
    operations[precision] += count;
  sharedBytes += more.sharedBytes;
  l1Bytes += more.l1Bytes;
  l2Bytes += more.l2Bytes;
  memoryBytes += more.memoryBytes;
  return *this;
}

std::map<AccessKey, RooflineWork> rooflineWork(const InstructionMixes &mixes,
                                               const std::map<AccessKey, CacheFigures> &caches) {
  std::map<AccessKey, RooflineWork> works;
  for (const auto &[key, mix] : mixes) {
    RooflineWork &work = works[key];
    work.executed = mix.sum();
    for (const auto &[name, count] : mix) {
      const ClassWork does = workOf(name);
      if (!does.precision.empty())
        work.operations[does.precision] += does.ofThread * count.threads + does.ofWarp * count.instructions;
      work.sharedBytes += sharedBytesOf(name) * count.threads;
    }
  }
  for (const auto &[access, made] : caches) {
    RooflineWork &work = works[lineOf(access)];
    work.l1Bytes += made.l1Sectors() * kSectorBytes;
    work.l2Bytes += made.l2Sectors() * kSectorBytes;
    work.memoryBytes += made.memoryReadBytes() + made.memoryWriteBytes();
  }
  return works;
}

std::optional<RooflineBound> Roofline::boundOf(const RooflineWork &work) const {
  if (!ceilings)
    return std::nullopt;
  std::optional<RooflineBound> bound;
  const auto takes = [&](const std::string &what, std::uint64_t amount,
                         const std::map<std::string, double> &rates) {
    const auto rate = rates.find(what);
    if (amount == 0 || rate == rates.end())
      return;
    const double seconds = static_cast<double>(amount) / rate->second;
    if (!bound || seconds > bound->seconds)
      bound = {what, seconds};
  };
  takes("dram", work.memoryBytes, ceilings->bandwidth);
  takes("l2", work.l2Bytes, ceilings->bandwidth);
  takes("l1", work.l1Bytes, ceilings->bandwidth);
  takes("shared", work.sharedBytes, ceilings->bandwidth);
  for (const auto &[precision, count] : work.operations)
    takes(precision, count, ceilings->throughput);
  return bound;
}

KernelTimes plainTimes(const Model &model, const LaunchSelection &selection, const PlainTimes &plain) {
  KernelTimes times;
  std::set<LaunchIndex> unknown;
  for (const auto &[kernel, place] : tracedLaunches(model, selection))
    if (const auto time = plain.of(model.launches()[place]))
      times[kernel] += *time;
    else
      unknown.insert(kernel);
  for (const LaunchIndex kernel : unknown)
    times.erase(kernel);
  return times;
}

std::map<LaunchIndex, KernelFill> kernelFill(const Model &model, const LaunchSelection &selection,
                                             const CacheGeometry &geometry) {
  std::map<LaunchIndex, KernelFill> fill;
  std::map<LaunchIndex, double> launches;
  for (const auto &[kernel, place] : tracedLaunches(model, selection)) {
    const LaunchInfo &info = model.launches()[place];
    const std::uint64_t resident = geometry.residentBlocks(info.launch),
                        warps = (countOf(info.launch.block) + abi::kLanes - 1) / abi::kLanes,
                        blocks = std::max<std::uint64_t>(countOf(info.launch.grid), 1),
                        atOnce = resident * geometry.multiprocessors;
    const std::uint64_t waves = (blocks + atOnce - 1) / atOnce, last = blocks - (waves - 1) * atOnce;
    const double busyInLast = static_cast<double>(std::min<std::uint64_t>(last, geometry.multiprocessors)) /
                              geometry.multiprocessors;
    KernelFill &of = fill[kernel];
    of.occupancy += static_cast<double>(resident * warps) / geometry.warps;
    of.multiprocessors += (static_cast<double>(waves - 1) + busyInLast) / static_cast<double>(waves);
    ++launches[kernel];
  }
  for (auto &[kernel, of] : fill) {
    of.occupancy /= launches[kernel];
    of.multiprocessors /= launches[kernel];
  }
  return fill;
}

std::optional<std::uint64_t> Roofline::timeOf(LaunchIndex kernel) const {
  const auto time = times.find(kernel);
  return time == times.end() ? std::nullopt : std::optional(time->second);
}

std::optional<double> Roofline::issueRate(LaunchIndex kernel, const RooflineWork &work) const {
  const std::uint64_t time = timeOf(kernel).value_or(0);
  if (!ceilings || time == 0)
    return std::nullopt;
  const double cycles = static_cast<double>(time) * 1e-9 * ceilings->clock;
  return static_cast<double>(work.executed.instructions) / (cycles * ceilings->multiprocessors * kSchedulers);
}

} // namespace cupr::analysis
