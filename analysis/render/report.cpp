/// Puts the page together, part by part. Every name in it comes from a program and is
/// escaped; every figure comes from a metric.
#include "report.h"

#include "analysis/metrics/matrices.h"
#include "analysis/model/names.h"
#include "communication.h"
#include "report_style.h"
#include "svg.h"
#include "text.h"

#include <algorithm>
#include <ctime>
#include <fmt/format.h>
#include <map>
#include <string_view>

namespace cupr::analysis {

namespace {

constexpr std::size_t kMostLaunches = 200;
constexpr std::size_t kMostKernels = 20;
constexpr std::size_t kDensityCells = 64;
constexpr std::size_t kMostTransfers = 15;
constexpr std::uint32_t kContextLines = 3;

class Page {
public:
  Page(const Model &model, const Communication &communication, const std::vector<SourceFile> &sources)
      : model_(model), c_(communication), sources_(sources) {}

  std::string html() {
    const std::string &program = model_.header().process.program;
    const std::string name = program.substr(program.find_last_of('/') + 1);
    out_ = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<title>{0}: memory report</title>\n<style>{1}</style>\n</head>\n<body>\n<main>\n<h1>{0}</h1>\n",
        htmlText(name), kReportStyle);
    head();
    tiles();
    supersteps();
    out_ += "<div class=\"pair\">\n<div>\n";
    kernels();
    out_ += "</div>\n<div>\n";
    density();
    out_ += "</div>\n</div>\n";
    lines();
    launches();
    transfers();
    out_ +=
        "<footer>Made by cupranalyze. Volumes count threads' accesses; a byte counts as communicated when a "
        "later launch reads what an earlier one wrote.</footer>\n</main>\n</body>\n</html>\n";
    return std::move(out_);
  }

private:
  template <typename... Values> void add(fmt::format_string<Values...> format, Values &&...values) {
    out_ += fmt::format(format, std::forward<Values>(values)...);
  }

  void section(std::string_view title, std::string_view note) {
    add("<h2>{}</h2>\n<p class=\"note\">{}</p>\n", title, note);
  }

  void head() {
    const trace::Process &process = model_.header().process;
    const auto seconds = static_cast<std::time_t>(process.startTime / 1000000000u);
    std::tm utc{};
    char when[32] = "";
    if (gmtime_r(&seconds, &utc))
      std::strftime(when, sizeof when, "%Y-%m-%d %H:%M UTC", &utc);
    add("<div class=\"soft\">{} ({}) \xc2\xb7 {} \xc2\xb7 trace of {}</div>\n", htmlText(process.deviceName),
        htmlText(process.deviceKind), when, bytesText(model_.reader().fileBytes()));
    if (c_.uniqueWritten != 0)
      add("<p class=\"lead\"><b>{}</b> of what kernels wrote to global memory was read by a later launch: {} "
          "of "
          "{}.</p>\n",
          htmlText(percent(c_.communicated, c_.uniqueWritten)), bytesText(c_.communicated),
          bytesText(c_.uniqueWritten));
    if (!model_.truncation().empty())
      add("<p class=\"warn\">The trace is not whole; this report covers what is there. {}</p>\n",
          htmlText(model_.truncation()));
    if (c_.incompleteLaunches != 0)
      add("<p class=\"warn\">{} of {} launches are not traced, or incomplete: what they read and wrote is "
          "not in "
          "these figures. The table of launches says why.</p>\n",
          c_.incompleteLaunches, model_.launches().size());
  }

  void tile(const std::string &figure, std::string_view what) {
    add("<div class=\"tile\"><b>{}</b><span>{}</span></div>\n", figure, what);
  }

  void tiles() {
    out_ += "<div class=\"tiles\">\n";
    tile(grouped(model_.launches().size()), "kernel launches");
    tile(bytesText(c_.counts.loadBytes), "loaded by threads");
    tile(bytesText(c_.counts.storeBytes), "stored by threads");
    tile(bytesText(c_.counts.atomicBytes), "of atomics");
    tile(htmlText(percent(c_.communicated, c_.uniqueWritten)), "of writes communicate");
    tile(htmlText(percent(c_.otherIndex, c_.uniqueWritten)), "read by another CTA");
    out_ += "</div>\n";
  }

  void supersteps() {
    std::vector<Bar> bars;
    for (std::size_t i = 0; i < c_.launches.size(); ++i)
      bars.push_back({superstepText(model_, static_cast<Superstep>(i)), c_.launches[i].readFromLaunches,
                      c_.launches[i].readByLaunches});
    if (c_.communicated == 0)
      return;
    section("Launch by launch",
            "<span class=\"key ld\"></span>bytes that a launch read from earlier ones<span class=\"key "
            "st\"></span>bytes "
            "that it wrote and later ones read. Time goes to the right; hover for figures.");
    out_ += superstepBarsSvg(bars);
  }

  void kernels() {
    if (c_.pairs.empty())
      return;
    section("Kernel to kernel", "Distinct bytes that one kernel wrote and another read in a later launch, "
                                "over all launches. Copies and "
                                "sets count as the host.");
    out_ += kernelMatrixSvg(kernelMatrix(model_, c_, kMostKernels));
  }

  void density() {
    const DensityMap map = densityMap(c_, kDensityCells);
    if (map.cells == 0)
      return;
    section("CTA to CTA",
            map.ctasPerCell == 1
                ? std::string(
                      "Who reads whose data, by CTA index, over all pairs of launches. The diagonal is data "
                      "that stays with its index.")
                : fmt::format(
                      "Who reads whose data, by CTA index, over all pairs of launches; one cell is {0} x {0} "
                      "CTAs. The diagonal is data that stays near its index.",
                      map.ctasPerCell));
    out_ += densityMapSvg(map);
  }

  void transfers() {
    std::vector<const Transfer *> largest;
    for (const Transfer &transfer : c_.transfers)
      if (transfer.source != kHost && transfer.destination != kHost)
        largest.push_back(&transfer);
    if (largest.empty())
      return;
    const std::size_t count = std::min(kMostTransfers, largest.size());
    std::partial_sort(largest.begin(), largest.begin() + static_cast<std::ptrdiff_t>(count), largest.end(),
                      [](const Transfer *a, const Transfer *b) {
                        return a->bytes != b->bytes ? a->bytes > b->bytes : a < b;
                      });
    section("Largest transfers",
            fmt::format("{} of {} transfers between CTAs.", count, grouped(largest.size())));
    out_ += "<div class=\"scroll\"><table><tr><th class=\"l\">written by</th><th>CTA</th><th "
            "class=\"l\">read by</th>"
            "<th>CTA</th><th>bytes</th><th>reads</th></tr>\n";
    for (std::size_t i = 0; i < count; ++i) {
      const Transfer &t = *largest[i];
      add("<tr><td class=\"k\">{}</td><td>{}</td><td "
          "class=\"k\">{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
          htmlText(superstepText(model_, t.source)), ctaText(model_, t.source, t.sourceCta),
          htmlText(superstepText(model_, t.destination)), ctaText(model_, t.destination, t.destinationCta),
          grouped(t.bytes), grouped(t.operations));
    }
    out_ += "</table></div>\n";
  }

  void launches() {
    const auto &all = model_.launches();
    const std::size_t count = std::min(kMostLaunches, all.size());
    section("Launches", count == all.size()
                            ? std::string("In the order of the calls. Counts are per thread.")
                            : fmt::format("The first {} of {}, in the order of the calls. Counts are "
                                          "per thread.",
                                          count, grouped(all.size())));
    out_ +=
        "<div class=\"scroll\"><table><tr><th>#</th><th class=\"l\">kernel</th><th>grid</th><th>block</th>"
        "<th>stream</th><th>loads</th><th>stores</th><th>atomics</th><th>bytes</th><th>distinct written</th>"
        "<th>communicated</th><th class=\"l\"></th></tr>\n";
    for (std::size_t i = 0; i < count; ++i) {
      const LaunchInfo &info = all[i];
      const trace::Counts &counts = info.totals.counts.global;
      const LaunchVolume &volume = c_.launches[i];
      const std::string state = launchState(info);
      add("<tr><td>{}</td><td class=\"k\" "
          "title=\"{}\">{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>"
          "<td>{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"l bad\">{}</td></tr>\n",
          static_cast<std::uint64_t>(info.launch.id), htmlText(info.kernel), htmlText(shortName(info.kernel)),
          dimText(info.launch.grid), dimText(info.launch.block), info.launch.stream, grouped(counts.loads),
          grouped(counts.stores), grouped(counts.atomics), bytesText(counts.bytes()),
          bytesText(volume.uniqueWritten), htmlText(percent(volume.readByLaunches, volume.uniqueWritten)),
          htmlText(state));
    }
    out_ += "</table></div>\n";
    otherMemory(all);
  }

  /// What was traced of other memory than global; nothing by default.
  void otherMemory(const std::vector<LaunchInfo> &all) {
    std::map<std::pair<std::string, abi::MemorySpace>, trace::Counts> sums;
    for (const LaunchInfo &info : all)
      for (unsigned index = 1; index < abi::kMemorySpaces; ++index) {
        const auto space = static_cast<abi::MemorySpace>(index);
        if (const trace::Counts &counts = info.totals.counts.in(space); counts.accesses())
          sums[{info.kernel, space}] += counts;
      }
    if (sums.empty())
      return;
    section("Other memory",
            "Accesses by threads to memory of a block or a thread, and to constants, by kernel. "
            "Everything else on this page is about global memory.");
    out_ += "<div class=\"scroll\"><table><tr><th class=\"l\">kernel</th><th class=\"l\">memory</th>"
            "<th>loads</th><th>stores</th><th>atomics</th><th>bytes</th></tr>\n";
    for (const auto &[key, counts] : sums)
      add("<tr><td class=\"k\" title=\"{}\">{}</td><td class=\"l\">{}</td><td>{}</td><td>{}</td><td>{}</td>"
          "<td>{}</td></tr>\n",
          htmlText(key.first), htmlText(shortName(key.first)), abi::spaceName(key.second),
          grouped(counts.loads), grouped(counts.stores), grouped(counts.atomics), bytesText(counts.bytes()));
    out_ += "</table></div>\n";
  }

  void lines() {
    if (sources_.empty())
      return;
    section("Source lines", "<span class=\"key ld\"></span>loads<span class=\"key st\"></span>stores<span "
                            "class=\"key at\"></span>atomics"
                            "; bytes by threads, and 32-byte sectors per warp request (4 is the least for 32 "
                            "threads with 4 bytes "
                            "each; many more mean scattered or strided accesses).");
    std::uint64_t most = 1;
    for (const SourceFile &file : sources_)
      for (const auto &[number, line] : file.lines)
        most = std::max(most, line.bytes());
    for (const SourceFile &file : sources_) {
      add("<h3>{} <span class=\"soft\">{}</span></h3>\n",
          file.path.empty() ? "without line information" : htmlText(file.path), bytesText(file.bytes));
      out_ += "<div class=\"scroll\"><table class=\"src\">\n";
      listing(file, most);
      out_ += "</table></div>\n";
    }
  }

  /// Lines with accesses, and those around them where there is text.
  void listing(const SourceFile &file, std::uint64_t most) {
    std::vector<std::string_view> text;
    for (std::string_view left = file.text; !left.empty();) {
      const std::size_t end = left.find('\n');
      text.push_back(left.substr(0, end));
      left.remove_prefix(end == std::string_view::npos ? left.size() : end + 1);
    }
    std::uint32_t next = 1; // the line after the last one shown
    for (auto at = file.lines.begin(); at != file.lines.end(); ++at) {
      const std::uint32_t number = at->first;
      const std::uint32_t first = std::max(next, number > kContextLines ? number - kContextLines : 1);
      if (first > next && !text.empty())
        out_ += "<tr class=\"gap\"><td colspan=\"5\">\xe2\x8b\xaf</td></tr>\n";
      for (std::uint32_t i = first; i < number; ++i)
        plain(text, i);
      hit(text, number, at->second, most);
      next = number + 1;
      const auto following = std::next(at);
      const std::uint32_t limit = following == file.lines.end() ? UINT32_MAX : following->first;
      for (; next < limit && next <= number + kContextLines && next <= text.size(); ++next)
        plain(text, next);
    }
  }

  void plain(const std::vector<std::string_view> &text, std::uint32_t number) {
    if (number >= 1 && number <= text.size())
      add("<tr><td></td><td></td><td></td><td class=\"n\">{}</td><td class=\"t\">{}</td></tr>\n", number,
          htmlText(text[number - 1]));
  }

  void hit(const std::vector<std::string_view> &text, std::uint32_t number, const LineVolume &line,
           std::uint64_t most) {
    const auto width = [&](std::uint64_t bytes) {
      return bytes == 0 ? 0.0 : std::max(1.0, 100.0 * static_cast<double>(bytes) / static_cast<double>(most));
    };
    std::string functions;
    for (const std::string &function : line.functions)
      functions += (functions.empty() ? "" : "; ") + function;
    const std::string title =
        fmt::format("{}: {} loads, {} stores, {} atomics by threads; {} warp requests, {} sectors", functions,
                    grouped(line.counts.loads), grouped(line.counts.stores), grouped(line.counts.atomics),
                    grouped(line.requests), grouped(line.sectors));
    add("<tr class=\"hit\" title=\"{}\"><td>{}</td><td><span class=\"bar\"><i class=\"ld\" "
        "style=\"width:{:.1f}%\"></i>"
        "<i class=\"st\" style=\"width:{:.1f}%\"></i><i class=\"at\" style=\"width:{:.1f}%\"></i></span></td>"
        "<td>{:.1f}</td><td class=\"n\">{}</td><td class=\"t\">{}</td></tr>\n",
        htmlText(title), bytesText(line.bytes()), width(line.counts.loadBytes), width(line.counts.storeBytes),
        width(line.counts.atomicBytes),
        static_cast<double>(line.sectors) / static_cast<double>(line.requests),
        number == 0 ? std::string("?") : std::to_string(number),
        number >= 1 && number <= text.size() ? htmlText(text[number - 1]) : htmlText(functions));
  }

  const Model &model_;
  const Communication &c_;
  const std::vector<SourceFile> &sources_;
  std::string out_;
};

} // namespace

std::string reportHtml(const Model &model, const Communication &communication,
                       const std::vector<SourceFile> &sources) {
  return Page(model, communication, sources).html();
}

} // namespace cupr::analysis
