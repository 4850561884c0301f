#include "estimate.h"

#include "hostlib/trace/schema.h" // before capnp's own headers

#include "analysis/output/json.h"
#include "analysis/output/text.h"
#include "launcher/totals.capnp.h"

#include <capnp/compat/json.h>
#include <capnp/message.h>
#include <fmt/format.h>
#include <stdexcept>

namespace cupr::launcher {

namespace {

struct Cost {
  double low, likely, high;
};

// Bytes, measured (docs/recording.md): header, modules and sources of a trace; a launch with its end and
// first chunk, and one that is not traced.
constexpr Cost kTrace{2000, 8000, 200000}, kTracedLaunch{500, 1000, 1500}, kLaunch{48, 50, 400};
// Of a record whose addresses are regular: the columns pack to nearly nothing where warps come in order.
constexpr Cost kRegularRecord{0.03, 0.25, 2};
// The same with few lanes, as list and tree walks make them: the base is anywhere.
constexpr Cost kLoneRecord{0.1, 2, 8};
constexpr double kFewLanes = 4;
// Of an access.
constexpr Cost kOffset{0.05, 1.2, 3.5}, kAddress{0.5, 4, 8}, kRange{0.5, 6, 16};

Counted::Form formOf(schema::Form::Reader form) { return {form.getRecords(), form.getAccesses()}; }

void add(Estimate &sum, const Cost &cost, std::uint64_t count) {
  const auto times = static_cast<double>(count);
  sum.low += cost.low * times;
  sum.likely += cost.likely * times;
  sum.high += cost.high * times;
}

void addRegular(Estimate &sum, const Counted::Form &form) {
  const bool isLone = static_cast<double>(form.accesses) < kFewLanes * static_cast<double>(form.records);
  add(sum, isLone ? kLoneRecord : kRegularRecord, form.records);
}

std::string about(double bytes) { return analysis::bytesText(static_cast<std::uint64_t>(bytes)); }

} // namespace

std::vector<Counted> readCounted(const std::vector<std::string> &lines) {
  std::vector<Counted> processes;
  const capnp::JsonCodec codec;
  for (const std::string &line : lines) {
    capnp::MallocMessageBuilder message;
    auto totals = message.initRoot<schema::Totals>();
    codec.decode(kj::arrayPtr(line.data(), line.size()), totals);
    const schema::Totals::Reader read = totals.asReader();
    if (std::string_view(read.getFormat().cStr()) != "cupr-summary" || read.getVersion() != 1)
      throw std::runtime_error(
          fmt::format("the program counts in another format than this cupr-run knows: {} {}; "
                      "rebuild it with the same version of cuprewrite",
                      read.getFormat().cStr(), read.getVersion()));
    Counted counted;
    counted.program = read.getProgram().cStr();
    counted.pid = read.getPid();
    counted.launches = read.getLaunches();
    counted.traced = read.getTraced();
    counted.records = read.getRecords();
    counted.accesses = read.getAccesses();
    counted.accessBytes = read.getAccessBytes();
    counted.affine = formOf(read.getForms().getAffine());
    counted.rows = formOf(read.getForms().getRows());
    counted.offset32 = formOf(read.getForms().getOffset32());
    counted.raw = formOf(read.getForms().getRaw());
    counted.range = formOf(read.getForms().getRange());
    processes.push_back(std::move(counted));
  }
  return processes;
}

Estimate estimate(const Counted &counted) {
  Estimate sum;
  add(sum, kTrace, 1);
  add(sum, kTracedLaunch, counted.traced);
  add(sum, kLaunch, counted.launches - counted.traced);
  addRegular(sum, counted.affine);
  addRegular(sum, counted.rows);
  add(sum, kOffset, counted.offset32.accesses);
  add(sum, kAddress, counted.raw.accesses);
  add(sum, kRange, counted.range.accesses);
  return sum;
}

std::vector<std::string> estimateLines(const Counted &counted) {
  const Estimate size = estimate(counted);
  const std::uint64_t irregular = counted.offset32.accesses + counted.raw.accesses + counted.range.accesses;
  using analysis::grouped;
  return {
      fmt::format(
          "counted   {} ({}): {} launches, {} of them traced; {} warp records, {} accesses of {} by threads",
          counted.program, counted.pid, grouped(counted.launches), grouped(counted.traced),
          grouped(counted.records), grouped(counted.accesses), analysis::bytesText(counted.accessBytes)),
      fmt::format("estimate  about {} of trace, from {} to {}", about(size.likely), about(size.low),
                  about(size.high)),
      fmt::format("          {} of the accesses are irregular: what they need depends on the data. To be "
                  "sure, trace a "
                  "part: --launch-count, --sample",
                  analysis::percent(irregular, counted.accesses)),
  };
}

std::string estimateJson(const std::vector<Counted> &processes) {
  analysis::Json json(analysis::Json::Style::Indented);
  json.beginObject().field("format", "cupr-run-estimate").field("version", 1);
  json.key("processes").beginArray();
  for (const Counted &counted : processes) {
    const Estimate size = estimate(counted);
    json.beginObject().field("program", counted.program).field("pid", counted.pid);
    json.field("launches", counted.launches).field("traced", counted.traced);
    json.field("records", counted.records).field("accesses", counted.accesses);
    json.field("accessBytes", counted.accessBytes);
    json.key("traceBytes").beginObject();
    json.field("low", static_cast<std::uint64_t>(size.low))
        .field("likely", static_cast<std::uint64_t>(size.likely));
    json.field("high", static_cast<std::uint64_t>(size.high)).endObject().endObject();
  }
  json.endArray().endObject();
  return json.text() + "\n";
}

} // namespace cupr::launcher
