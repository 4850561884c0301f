#include "summary.h"

#include "analysis/model/model.h"
#include "analysis/output/json.h"
#include "analysis/output/text.h"
#include "analysis/verify/verifier.h"

#include <cstring>
#include <fmt/format.h>

namespace cupr::launcher {

using analysis::bytesText;
using analysis::grouped;

namespace {

std::uint64_t bytesOf(const trace::SpaceCounts &counts) {
  return counts.global.bytes() + counts.shared.bytes() + counts.constant.bytes() + counts.local.bytes();
}

void add(TraceSummary &summary, const analysis::LaunchInfo &info) {
  Figures figures;
  figures.launches = 1;
  figures.traced = info.launch.traced;
  figures.records = info.totals.records;
  figures.accesses = info.totals.counts.accesses();
  figures.accessBytes = bytesOf(info.totals.counts);
  figures.waits = info.totals.end.waits;
  figures.dropped = info.totals.end.dropped;
  summary.figures += figures;
  summary.kernels[info.kernel] += figures;
  if (!info.launch.traced)
    ++summary.untraced[info.launch.reason];
  else if (!info.complete())
    ++summary.incomplete[info.ended ? info.totals.end.reason : "the process ended before it"];
}

double perAccess(std::uint64_t bytes, std::uint64_t accesses) {
  return accesses ? static_cast<double>(bytes) / static_cast<double>(accesses) : 0;
}

const char *plural(std::uint64_t count) { return count == 1 ? "" : "s"; }

/// `SIGTERM`.
std::string signalName(int signal) {
  const char *const name = ::sigabbrev_np(signal);
  return name ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal);
}

std::string wholeness(const TraceSummary &trace) {
  if (!trace.faults)
    return "not verified";
  return trace.faults->empty() ? "whole" : "NOT WHOLE";
}

void addTrace(std::vector<std::string> &lines, const TraceSummary &trace) {
  const auto line = [&](const char *what, std::string text) {
    lines.push_back(fmt::format("{:<9} {}", what, std::move(text)));
  };
  if (!trace.problem.empty())
    return line("trace", trace.problem);
  line("trace", fmt::format("{} ({}), {}", trace.path, bytesText(trace.fileBytes), wholeness(trace)));
  if (trace.faults)
    for (const std::string &fault : *trace.faults)
      line("", fault);
  const Figures &figures = trace.figures;
  line("launches", fmt::format("{} on {}: {} traced, {} not", grouped(figures.launches), trace.device,
                               grouped(figures.traced), grouped(figures.launches - figures.traced)));
  for (const auto &[reason, count] : trace.untraced)
    line("", fmt::format("{} not traced: {}", grouped(count), reason));
  for (const auto &[reason, count] : trace.incomplete)
    line("", fmt::format("{} incomplete: {}", grouped(count), reason));
  if (figures.records)
    line("recorded",
         fmt::format("{} warp record{}, {} access{} of {} by threads; {:.3g} bytes of file per access",
                     grouped(figures.records), plural(figures.records), grouped(figures.accesses),
                     figures.accesses == 1 ? "" : "es", bytesText(figures.accessBytes),
                     perAccess(trace.fileBytes, figures.accesses)));
  else
    line("recorded", "nothing");
  if (figures.waits)
    line("waits",
         fmt::format("{}: warps found the record buffer full and waited for the host. Nothing is lost by "
                     "that, but kernels take longer: --buffer-size gives them more room, -k, --sample and "
                     "--blocks record less",
                     grouped(figures.waits)));
  if (figures.dropped)
    line("dropped", fmt::format("{} accesses by threads: the record buffer was full (--full=drop)",
                                grouped(figures.dropped)));
}

void addKernels(std::vector<std::string> &lines, const TraceSummary &trace) {
  using enum analysis::Table::Align;
  analysis::Table table({Right, Right, Right, Right, Right, Right, Left});
  table.row({"launches", "traced", "records", "accesses", "bytes", "waits", "kernel"});
  for (const auto &[name, figures] : trace.kernels)
    table.row({grouped(figures.launches), grouped(figures.traced), grouped(figures.records),
               grouped(figures.accesses), bytesText(figures.accessBytes), grouped(figures.waits), name});
  const std::string text = table.text();
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = text.find('\n', start);
    lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
}

void addFigures(analysis::Json &json, const Figures &figures) {
  json.field("launches", figures.launches).field("traced", figures.traced);
  json.field("records", figures.records).field("accesses", figures.accesses);
  json.field("accessBytes", figures.accessBytes).field("waits", figures.waits);
  json.field("dropped", figures.dropped);
}

void addReasons(analysis::Json &json, const char *name, const std::map<std::string, std::uint64_t> &reasons) {
  json.key(name).beginArray();
  for (const auto &[reason, count] : reasons)
    json.beginObject().field("reason", reason).field("launches", count).endObject();
  json.endArray();
}

void addOutcome(analysis::Json &json, const char *name, const Outcome &outcome) {
  json.key(name).beginObject();
  if (outcome.signal)
    json.field("signal", signalName(outcome.signal));
  else
    json.field("status", outcome.status);
  json.field("seconds", outcome.seconds).endObject();
}

void addTrace(analysis::Json &json, const TraceSummary &trace) {
  json.beginObject().field("path", trace.path);
  if (!trace.problem.empty()) {
    json.field("problem", trace.problem).endObject();
    return;
  }
  json.field("fileBytes", trace.fileBytes).field("pid", trace.pid).field("program", trace.program);
  json.field("device", trace.device);
  json.key("whole");
  if (trace.faults)
    json.value(trace.faults->empty());
  else
    json.null();
  json.key("faults").beginArray();
  if (trace.faults)
    for (const std::string &fault : *trace.faults)
      json.value(fault);
  json.endArray();
  addFigures(json, trace.figures);
  addReasons(json, "untraced", trace.untraced);
  addReasons(json, "incomplete", trace.incomplete);
  json.key("kernels").beginArray();
  for (const auto &[name, figures] : trace.kernels) {
    json.beginObject().field("kernel", name);
    addFigures(json, figures);
    json.endObject();
  }
  json.endArray().endObject();
}

} // namespace

Figures &Figures::operator+=(const Figures &other) {
  launches += other.launches;
  traced += other.traced;
  records += other.records;
  accesses += other.accesses;
  accessBytes += other.accessBytes;
  waits += other.waits;
  dropped += other.dropped;
  return *this;
}

TraceSummary summarise(const std::string &path, Check check) {
  TraceSummary summary;
  summary.path = path;
  std::string error;
  const auto reader = trace::Reader::open(path, error);
  if (!reader) {
    summary.problem = error;
    return summary;
  }
  if (check == Check::Whole)
    summary.faults = trace::verify(*reader).problems;
  try {
    const analysis::Model model(path);
    const trace::Process &process = model.header().process;
    summary.fileBytes = model.reader().fileBytes();
    summary.pid = process.pid;
    summary.program = process.program;
    summary.device = process.deviceName;
    for (const analysis::LaunchInfo &info : model.launches())
      add(summary, info);
  } catch (const std::exception &damaged) {
    summary.problem = damaged.what();
  }
  return summary;
}

std::string outcomeText(const Outcome &outcome) {
  return outcome.signal ? fmt::format("ended by {}", signalName(outcome.signal))
                        : fmt::format("exit status {}", outcome.status);
}

std::vector<std::string> summaryLines(const RunSummary &run, Detail detail) {
  std::vector<std::string> lines;
  for (const TraceSummary &trace : run.traces) {
    addTrace(lines, trace);
    if (detail == Detail::Kernels && !trace.kernels.empty())
      addKernels(lines, trace);
  }
  std::string time = fmt::format("time      {:.2f} s", run.outcome.seconds);
  if (run.plain)
    time += fmt::format(" traced, {:.2f} s without tracing: {:.1f} times", run.plain->seconds,
                        run.plain->seconds > 0 ? run.outcome.seconds / run.plain->seconds : 0.0);
  lines.push_back(time);
  if (run.outcome.status || run.outcome.signal)
    lines.push_back(fmt::format("program   {}", outcomeText(run.outcome)));
  if (run.plain && outcomeText(*run.plain) != outcomeText(run.outcome))
    lines.push_back(fmt::format("          {} without tracing", outcomeText(*run.plain)));
  return lines;
}

std::string summaryJson(const RunSummary &run) {
  analysis::Json json(analysis::Json::Style::Indented);
  json.beginObject().field("format", "cupr-run-summary").field("version", 1);
  json.key("command").beginArray();
  for (const std::string &word : run.command)
    json.value(word);
  json.endArray();
  if (!run.rank.empty())
    json.field("rank", run.rank);
  addOutcome(json, "run", run.outcome);
  if (run.plain)
    addOutcome(json, "plainRun", *run.plain);
  json.key("traces").beginArray();
  for (const TraceSummary &trace : run.traces)
    addTrace(json, trace);
  json.endArray().endObject();
  return json.text() + "\n";
}

} // namespace cupr::launcher
