/// The report: complete, self-contained, and safe against names that are no HTML.
#include "analysis/metrics/matrices.h"
#include "analysis/render/report.h"
#include "analysis/render/svg.h"
#include "unit/trace/stencil_trace.h"

#include <catch2/catch.hpp>

using namespace cupr;
using namespace cupr::analysis;

namespace {

std::string reportOf(const std::string &path) {
  const Model model(path);
  return reportHtml(model, communication(model), sourceLines(model));
}

/// Whether tags open and close in pairs; void elements aside.
std::string unbalanced(const std::string &html) {
  std::vector<std::string> open;
  for (std::size_t at = html.find('<'); at != std::string::npos; at = html.find('<', at + 1)) {
    const std::size_t end = html.find('>', at);
    if (end == std::string::npos)
      return "a tag does not end";
    const std::string tag = html.substr(at + 1, end - at - 1);
    const std::string name = tag.substr(0, tag.find_first_of(" \n"));
    if (name[0] == '!' || name == "meta" || tag.back() == '/')
      continue;
    if (name[0] != '/')
      open.push_back(name);
    else if (open.empty() || "/" + open.back() != name)
      return name + " closes nothing";
    else
      open.pop_back();
  }
  return open.empty() ? "" : open.back() + " is not closed";
}

} // namespace

TEST_CASE("the figures of the stencil are those that arithmetic gives") {
  test::TemporaryFile file;
  test::writeStencilTrace(file.path());
  const Model model(file.path());
  const Communication result = communication(model);
  const std::uint64_t n = test::kStencilCtas * test::kStencilThreads;
  // All inner elements of every step are read by the next one, or by the sum.
  CHECK(result.communicated == test::kStencilSteps * (n - 2) * 4);
  // Elements at the edges of CTAs are read by the neighbour too, except the last step's.
  CHECK(result.otherIndex == (test::kStencilSteps - 1) * 2 * (test::kStencilCtas - 1) * 4);
  CHECK(result.uniqueWritten == test::kStencilSteps * (n - 2) * 4 + 4);

  const KernelMatrix matrix = kernelMatrix(model, result, 20);
  REQUIRE(matrix.names == std::vector<std::string>{"host", "stencil(float const*, float*, int)",
                                                   "void sum<float>(float const*, float*, int)"});
  CHECK(matrix.bytes[1 * 3 + 1] == (test::kStencilSteps - 1) * (n - 2) * 4);
  CHECK(matrix.bytes[1 * 3 + 2] == (n - 2) * 4);
  CHECK(matrix.bytes[2 * 3 + 0] == 4);
  const KernelMatrix cut = kernelMatrix(model, result, 1);
  CHECK(cut.names.back() == "other kernels");

  const DensityMap map = densityMap(result, 64);
  CHECK(map.cells == test::kStencilCtas);
  CHECK(map.bytes[0 * map.cells + 1] == (test::kStencilSteps - 1) * 4);
  CHECK(map.bytes[0 * map.cells + 2] == 0);
  const DensityMap coarse = densityMap(result, 5);
  CHECK(coarse.cells == 5);
  CHECK(coarse.ctasPerCell == 5);

  const std::vector<SourceFile> sources = sourceLines(model);
  REQUIRE(sources.size() == 1);
  REQUIRE(sources[0].lines.size() == 3);
  CHECK(sources[0].lines.at(5).counts.loads == test::kStencilSteps * 3 * (n - 2));
  CHECK(sources[0].lines.at(5).counts.stores == test::kStencilSteps * (n - 2));
  // 32 aligned threads with 4 bytes: 4 sectors; all atomics of a warp at one word: 1.
  CHECK(sources[0].lines.at(10).sectors == 4 * sources[0].lines.at(10).requests);
  CHECK(sources[0].lines.at(11).sectors == sources[0].lines.at(11).requests);
  CHECK(sources[0].text.find("three-point stencil") != std::string::npos);
}

TEST_CASE("the page has every part, is well formed and needs nothing else") {
  test::TemporaryFile file;
  test::writeStencilTrace(file.path());
  const std::string html = reportOf(file.path());
  CHECK(unbalanced(html) == "");
  for (const char *part :
       {"Launch by launch", "Kernel to kernel", "CTA to CTA", "Source lines", "Largest transfers", "Launches",
        "prefers-color-scheme: dark", "0.25f * in[i - 1]"})
    CHECK_THAT(html, Catch::Contains(part));
  for (const char *outside : {"http:", "https:", "src=", "url(", "<script", "@import"})
    CHECK_THAT(html, !Catch::Contains(outside));
}

TEST_CASE("names are escaped") {
  CHECK(htmlText("<a href=\"x\">&'\xff") == "&lt;a href=&quot;x&quot;&gt;&amp;&#39;\xef\xbf\xbd");
  test::TemporaryFile file;
  {
    test::TraceBuilder trace(file.path());
    const std::string evil = "</style><script>alert(1)</script>\"'&";
    test::SiteTableBlob blob;
    blob.site(abi::Operation::Load, 4, evil, 1, evil);
    blob.site(abi::Operation::Store, 4, evil, 2, evil);
    blob.source(evil, evil + "\n" + evil);
    trace.table(blob);
    for (int turn = 0; turn < 2; ++turn) {
      test::Words words;
      words.strided(0, 0, 0, 0x1000, 4);
      words.strided(1, 0, 0, 0x1000, 4);
      trace.run(evil, {1, 1, 1}, {32, 1, 1}, words);
    }
    trace::Launch launch;
    launch.id = trace::LaunchId{9};
    launch.order = 100;
    launch.kernel = evil;
    launch.reason = evil;
    trace.writer->launch(launch);
    trace.writer->finish();
  }
  const std::string html = reportOf(file.path());
  CHECK_THAT(html, !Catch::Contains("<script"));
  CHECK(unbalanced(html) == "");
}

TEST_CASE("a trace without records still gives a page") {
  test::TemporaryFile file;
  test::TraceBuilder(file.path()).writer->finish();
  const std::string html = reportOf(file.path());
  CHECK(unbalanced(html) == "");
  CHECK_THAT(html, Catch::Contains("kernel launches"));
}
