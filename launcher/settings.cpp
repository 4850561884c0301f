#include "settings.h"

#include "analysis/render/text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <fmt/format.h>
#include <regex>
#include <string_view>
#include <vector>

namespace cupr::launcher {

namespace {

using enum Value;

constexpr std::array kSettings = std::to_array<Setting>({
    {kTraceGroup, "CUPR_TRACE", "-o,--output", Own, "PATTERN", "<program>.<pid>.cuprtrace",
     "file or folder of the trace; %p is the process's number, %h the host, %r the MPI rank, %q{VAR} a "
     "variable; in "
     "the environment also off: no trace"},
    {kTraceGroup, "CUPR_PROCESS", "--target-processes", Own, "all|application-only", "all",
     "whether processes that the program starts are traced, too; in the environment, the number of the only "
     "process "
     "to trace"},
    {kTraceGroup, "CUPR_TRACE_LIST", "", NoOption, "FILE", "none",
     "existing file to which each process appends the path of its trace; cupr-run finds the traces by it"},
    {kTraceGroup, "CUPR_FORCE", "-f,--force-overwrite", Own, "on|off", "off",
     "whether a file that has the trace's name is replaced even if it is no trace; cupr-run asks for -f to "
     "replace "
     "a trace, too"},
    {kTraceGroup, "CUPR_FILE_MODE", "--file-mode", Text, "OCTAL", "600",
     "permissions of the files that are made, less what the umask takes"},
    {kTraceGroup, "CUPR_ARGUMENTS", "--record-arguments", Choice, "on|off", "on",
     "whether the trace holds the program's command line"},
    {kTraceGroup, "CUPR_SINK", "--sink", Choice, "file|null", "file",
     "what becomes of the records: null counts and discards them"},
    {kTraceGroup, "CUPR_SUMMARY", "", NoOption, "FILE", "none",
     "file to which each process appends its totals as a line of JSON; cupr-run --dry-run needs it"},
    {kTraceGroup, "CUPR_LEVEL", "--compression-level", Number, "LEVEL", "by the load",
     "zstd level of the trace, 1 to 19; by default higher while the host has time, and 1 on the CPU device"},
    {kTraceGroup, "CUPR_MAX_BYTES", "--max-bytes", Bytes, "BYTES", "no limit",
     "size of the trace at which recording stops; the program goes on"},
    {kRecordedGroup, "CUPR_DEVICE", "--device", Choice, "auto|gpu|cpu", "auto",
     "where kernels run; auto: a GPU if there is one"},
    {kRecordedGroup, "CUPR_KERNELS", "-k,--kernel-name", Own, "NAME|regex:EXPR", "all",
     "trace kernels of this name, or whose name holds a match of the expression; in the environment, an "
     "expression"},
    {kRecordedGroup, "CUPR_KERNEL_NAME", "--kernel-name-base", Own, "function|qualified|demangled",
     "demangled",
     "what of the name is meant: the function, with its namespaces, or with all types too; cupr-run's "
     "default is "
     "function"},
    {kRecordedGroup, "CUPR_LAUNCHES", "-s,--launch-skip,-c,--launch-count", Own, "SKIP:COUNT", "all",
     "of the launches that the other filters choose, skip some, then trace so many"},
    {kRecordedGroup, "CUPR_CTAS", "--blocks", Blocks, "FIRST-LAST", "all",
     "record these blocks of each launch, by linear number"},
    {kRecordedGroup, "CUPR_SAMPLE", "--sample", Number, "N", "1", "record one block in N"},
    {kRecordedGroup, "CUPR_START", "--profile-from-start", Choice, "on|off", "on",
     "off: record nothing before the program calls cuprStart() or cudaProfilerStart()"},
    {kRecordedGroup, "CUPR_NVTX", "--nvtx-include", Regex, "EXPR", "all",
     "trace launches made inside NVTX ranges whose name holds a match of the expression"},
    {kRecordedGroup, "CUPR_UNTRACED", "--untraced", Choice, "list|omit", "list",
     "whether launches that are not traced are in the trace, as launches without records; omit: only their number is"},
    {kRecordedGroup, "CUPR_COUNT", "--count", Choice, "on|off", "off",
     "on: the device counts the accesses of each site beside recording them, and verify compares the two"},
    {kTransportGroup, "CUPR_BINS", "--bins", Choice, "device|host", "device",
     "memory that the record buffer lies in"},
    {kTransportGroup, "CUPR_BUFFER", "--buffer-size", Bytes, "BYTES", "256M",
     "record buffer of each GPU, at most an eighth of its free memory"},
    {kTransportGroup, "CUPR_FULL", "--full", Choice, "wait|drop", "wait",
     "what a warp does that finds the record buffer full: wait for room, or go on; then what is not recorded "
     "is "
     "counted, and its launch is incomplete"},
    {kTransportGroup, "CUPR_PAGE", "--page-size", Bytes, "BYTES", "128K",
     "piece in which records travel; a power of two from 4K to 1M"},
    {kTransportGroup, "CUPR_CONSUMERS", "--consumers", Number, "N", "by the processors",
     "host threads that take records from a GPU"},
    {kTransportGroup, "CUPR_WATCHDOG", "--watchdog", Number0, "SECONDS", "60",
     "say which launch waits for what when there was no progress for so long; 0: never"},
    {kCpuGroup, "CUPR_CPU_THREADS", "--cpu-threads", Number, "N", "all",
     "host threads of the CPU device; with 1 blocks run in order, and the trace is the same each time"},
    {kCpuGroup, "CUPR_CPU_MODE", "--cpu-mode", Choice, "lockstep|fast", "lockstep",
     "how the CPU device's threads become records of their warp: lockstep, as a GPU would form them, or "
     "fast, "
     "where no iteration of a loop waits for the same one of other threads; the accesses are the same"},
    {kCpuGroup, "CUPR_CPU_DEVICES", "--cpu-devices", Number, "N", "1",
     "CPU devices that the program sees, at most 16"},
    {kCpuGroup, "CUPR_CPU_STACK", "--cpu-stack", Number, "BYTES", "65536",
     "stack of a CUDA thread on the CPU device"},
    {kCpuGroup, "CUPR_CPU_MEMORY", "--cpu-memory", Number, "MIB", "8192", "memory of each CPU device"},
    {kCpuGroup, "CUPR_CPU_CHECK", "--cpu-check", Choice, "1|0", "1",
     "look at each access on the CPU device whether its address belongs to an allocation"},
    {kCpuGroup, "CUPR_CPU_TIMEOUT", "--cpu-timeout", Number0, "SECONDS", "0",
     "on the CPU device, end a launch that still waits for one of its threads after so long; 0: never"},
    {kCpuGroup, "CUPR_CPU_ACCESS_LOG", "--cpu-access-log", Text, "FILE", "none",
     "list of all accesses that the CPU device executes, for programs built with cupr++ --log-accesses"},
});

bool isNumber(std::string_view text, std::uint64_t least) {
  return !text.empty() && text.size() < 20 &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; }) &&
         std::stoull(std::string(text)) >= least;
}

bool isChoice(std::string_view text, std::string_view words) {
  while (true) {
    const std::size_t end = words.find('|');
    if (words.substr(0, end) == text)
      return true;
    if (end == std::string_view::npos)
      return false;
    words.remove_prefix(end + 1);
  }
}

bool isBlocks(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos || !isNumber(text.substr(0, dash), 0))
    return false;
  const std::string_view last = text.substr(dash + 1);
  return last.empty() ||
         (isNumber(last, 0) && std::stoull(std::string(last)) >= std::stoull(std::string(text)));
}

bool isExpression(const std::string &text) {
  try {
    const std::regex parsed(text, std::regex::ECMAScript);
    return true;
  } catch (const std::regex_error &) {
    return false;
  }
}

} // namespace

std::span<const Setting> settings() { return kSettings; }

std::string problemWith(const Setting &setting, const std::string &text) {
  const auto unless = [&](bool good, const std::string &expected) {
    return good ? std::string() : fmt::format("'{}': expected {}", text, expected);
  };
  switch (setting.value) {
  case Choice:
    return unless(isChoice(text, setting.values), fmt::format("one of {}", setting.values));
  case Number:
    return unless(isNumber(text, 1), "a number from 1");
  case Number0:
    return unless(isNumber(text, 0), "a number from 0");
  case Bytes: {
    const bool hasUnit =
        !text.empty() && std::string_view("kKmMgG").find(text.back()) != std::string_view::npos;
    return unless(isNumber(std::string_view(text).substr(0, text.size() - hasUnit), 1),
                  "a number of bytes, such as 32M");
  }
  case Regex:
    return unless(isExpression(text), "a regular expression (ECMAScript)");
  case Blocks:
    return unless(isBlocks(text), "FIRST-LAST, such as 0-15, or FIRST-");
  case Own:
  case NoOption:
  case Text:
    break;
  }
  return "";
}

std::string settingsMarkdown() {
  std::string text;
  const auto code = [](std::string content) {
    // A bar would end the cell, in code too.
    for (std::size_t at = 0; (at = content.find('|', at)) != std::string::npos; at += 2)
      content.insert(at, "\\");
    return "`" + content + "`";
  };
  std::string_view group;
  for (const Setting &setting : kSettings) {
    if (group != setting.group)
      text += fmt::format("{}**{}**\n\n| variable | option of cupr-run | values | default | meaning |\n"
                          "| --- | --- | --- | --- | --- |\n",
                          group.empty() ? "" : "\n", setting.group);
    group = setting.group;
    std::string options;
    for (std::string_view rest = setting.option; !rest.empty();) {
      const std::size_t end = rest.find(',');
      options += (options.empty() ? "" : ", ") + code(std::string(rest.substr(0, end)));
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
      rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    }
    const bool literal = std::string_view(setting.fallback).find('<') != std::string_view::npos;
    text += fmt::format("| {} | {} | {} | {} | {} |\n", code(setting.variable), options, code(setting.values),
                        literal ? code(setting.fallback) : setting.fallback, setting.help);
  }
  return text;
}

std::string settingsText() {
  using enum analysis::Table::Align;
  analysis::Table table({Left, Left, Left, Left});
  table.row({"variable", "now", "default", "option"});
  for (const Setting &setting : kSettings) {
    const char *const now = std::getenv(setting.variable);
    table.row({setting.variable, now ? now : "-", setting.fallback, setting.option});
  }
  return table.text();
}

} // namespace cupr::launcher
