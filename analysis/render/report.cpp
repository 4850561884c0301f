/// Results on their way into the page.
///
/// The page is a template that report/ builds, with five marks, each in a script element of type application/json: for the results, those
/// of an earlier trace, the profile, the roofline and what was checked. What there is takes its mark's place, other places stay empty. Of several traces
/// all five stay empty, and in place of a sixth mark, a comment, each trace has such elements of its own, numbered from 0, so that the browser parses one
/// trace's data when it is asked for; behind them comes one with a line for each. They hold names and source text that programs chose, and a browser ends a
/// script element at the first `</script`, even inside of a string; so `<` must not occur, nor `<!--`, which
/// changes how the rest is read. All that could be markup is written as JSON writes any character, \uXXXX:
/// JSON has these characters in strings only, and what is parsed is the same.
///
/// Most results are text and repeat themselves: above kPackFrom they are gzip in base64, which has none of
/// these characters. How they come out again is report/src/data.ts: what begins with `{` is plain.
#include "report.h"

#include "analysis/output/base64_sink.h"
#include "check_json.h"
#include "results_json.h"

#include <array>
#include <fmt/format.h>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

extern "C" const char cuprReportTemplate[], cuprReportTemplateEnd[];

namespace cupr::analysis {

namespace {

constexpr std::string_view kMark = "@RESULTS@", kEarlierMark = "@EARLIER@", kProfileMark = "@PROFILE@",
                           kRooflineMark = "@ROOFLINE@", kCheckMark = "@CHECK@",
                           kTracesMark = "<!--@TRACES@-->";
constexpr std::size_t kPackFrom = 256u << 10;
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kEscapes{{
    {"<", "\\u003c"},
    {">", "\\u003e"},
    {"&", "\\u0026"},
    {"\xe2\x80\xa8", "\\u2028"}, // two that end a line in JavaScript, but not in JSON
    {"\xe2\x80\xa9", "\\u2029"},
}};

using WriteJson = std::function<void(std::string_view)>;
using Document = ReportPage::Document;

/// What the page has of each trace.
struct TraceDocuments {
  Document results, profile, roofline, check; ///< empty: it isn't there
};

TraceDocuments documentsOf(const Model &model, const Results &results, const CheckedTrace *check) {
  TraceDocuments of;
  of.results = [&](const WriteJson &write) { resultsJson(model, results, TransferList::LeftOut, write); };
  if (results.profile)
    of.profile = [&](const WriteJson &write) { profileJson(model, results, "top-down", write); };
  if (results.roofline)
    of.roofline = [&](const WriteJson &write) { rooflineJson(model, results, write); };
  if (check)
    of.check = [check](const WriteJson &write) {
      write(checkJson(check->model(), check->checked(), check->faults()));
    };
  return of;
}

void writeEscaped(std::string_view json, ByteSink &sink) {
  std::size_t written = 0;
  for (std::size_t at = json.find_first_of("<>&\xe2"); at != std::string_view::npos;
       at = json.find_first_of("<>&\xe2", at + 1))
    for (const auto &[text, escape] : kEscapes)
      if (json.substr(at).starts_with(text)) {
        sink.write(json.substr(written, at - written));
        sink.write(escape);
        written = at + text.size();
      }
  sink.write(json.substr(written));
}

/// Takes JSON in pieces and writes it as it can stand in the page: it is packed as soon as there is much of
/// it.
class EmbeddedResults {
public:
  explicit EmbeddedResults(ByteSink &page) : page_(page) {}

  void write(std::string_view json) {
    if (!packed_ && plain_.size() + json.size() > kPackFrom) {
      packed_ = compressed(std::make_unique<Base64Sink>(page_), Compression::Gzip);
      packed_->write(plain_);
    }
    if (packed_)
      packed_->write(json);
    else
      plain_ += json;
  }
  void finish() {
    if (packed_)
      packed_->finish();
    else
      writeEscaped(plain_, page_);
  }

private:
  ByteSink &page_;
  std::string plain_;
  std::unique_ptr<ByteSink> packed_; ///< null: there is little so far
};

} // namespace

ReportPage::ReportPage(ByteSink &sink)
    : sink_(sink),
      left_(cuprReportTemplate, static_cast<std::size_t>(cuprReportTemplateEnd - cuprReportTemplate)) {}

void ReportPage::copyUpTo(std::string_view mark) {
  const std::size_t at = left_.find(mark);
  sink_.write(left_.substr(0, at));
  left_.remove_prefix(at + mark.size());
}

void ReportPage::put(const Document &document) {
  if (!document)
    return;
  EmbeddedResults embedded(sink_);
  document([&](std::string_view json) { embedded.write(json); });
  embedded.finish();
}

void ReportPage::putElement(const std::string &id, const Document &document) {
  if (!document)
    return;
  sink_.write(fmt::format("<script type=\"application/json\" id=\"{}\">", id));
  put(document);
  sink_.write("</script>\n");
}

void writeReport(const Model &model, const Results &results, ByteSink &sink, const BesideResults &beside) {
  ReportPage page(sink);
  const EarlierTrace *const earlier = beside.earlier;
  const TraceDocuments of = documentsOf(model, results, beside.check);
  for (const auto &[mark, document] : {std::pair{kMark, of.results},
                                       {kEarlierMark, earlier ? Document([&](const WriteJson &write) {
                                          comparedJson(earlier->model, earlier->results, write);
                                        })
                                                              : Document()},
                                       {kProfileMark, of.profile},
                                       {kRooflineMark, of.roofline},
                                       {kCheckMark, of.check},
                                       {kTracesMark, Document()}}) {
    page.copyUpTo(mark);
    page.put(document);
  }
  page.finish();
}

SeveralTracesPage::SeveralTracesPage(ByteSink &sink) : page_(sink) {
  for (const std::string_view mark :
       {kMark, kEarlierMark, kProfileMark, kRooflineMark, kCheckMark, kTracesMark})
    page_.copyUpTo(mark);
}

void SeveralTracesPage::add(const Model &model, const Results &results, const CheckedTrace *check) {
  const TraceDocuments of = documentsOf(model, results, check);
  const std::size_t number = summaries_.size();
  page_.putElement(fmt::format("results-{}", number), of.results);
  page_.putElement(fmt::format("profile-{}", number), of.profile);
  page_.putElement(fmt::format("roofline-{}", number), of.roofline);
  page_.putElement(fmt::format("check-{}", number), of.check);
  summaries_.push_back(summaryOf(model, results));
  if (check)
    summaries_.back().faults = check->faults().size();
}

void SeveralTracesPage::finish() {
  page_.putElement("traces", [&](const WriteJson &write) { tracesJson(summaries_, write); });
  page_.finish();
}

} // namespace cupr::analysis
