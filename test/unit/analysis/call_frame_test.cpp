/// The calls that led to a site, in words, and on their way through exports.
#include "analysis/model/call_frame.h"
#include "analysis/model/model.h"
#include "analysis/model/names.h"
#include "exported_text.h"
#include "unit/trace/trace_builder.h"

#include <catch2/catch.hpp>

namespace call_frame_test {

using namespace cupr;
using namespace cupr::analysis;

namespace {

/// A site that each kind of frame leads to, the outermost first in the table.
void writeTrace(const std::string &path) {
  test::TraceBuilder trace(path);
  test::SiteTableBlob blob;
  std::uint32_t frame = abi::kNoFrame;
  for (const auto kind : {abi::FrameKind::Merged, abi::FrameKind::Indirect, abi::FrameKind::Called,
                          abi::FrameKind::Recursive, abi::FrameKind::Inlined})
    frame = blob.frame("a.cu", 20, "void walk<int>(cupr::argument::Trace const&, int*)", frame, kind);
  blob.site(abi::Operation::Load, 4, "a.cu", 3, "get(int*)", frame);
  trace.table(blob);
  trace.writer->finish();
}

} // namespace

TEST_CASE("calls have names, whatever is known of them") {
  test::TemporaryFile file;
  writeTrace(file.path());
  const Model model(file.path());
  const trace::Module &module = model.modules()[0];
  std::vector<std::pair<std::string, std::string>> calls;
  for (std::uint32_t at = module.sites[0].frame; at != abi::kNoFrame; at = module.frames[at].parent)
    calls.emplace_back(callerName(module, module.frames[at]), callPlace(module, module.frames[at]));
  CHECK(calls == std::vector<std::pair<std::string, std::string>>{{"void walk<int>(int*)", "a.cu:20:3"},
                                                                  {"[recursion]walk", "a.cu:20"},
                                                                  {"void walk<int>(int*)", "a.cu:20:3"},
                                                                  {"[indirect]", ""},
                                                                  {"[merged]", ""}});
  for (const auto &[name, place] : calls)
    CHECK(shortName(name) == (name.starts_with("[") ? name : "walk"));
}

TEST_CASE("exports say what frames stand for") {
  test::TemporaryFile file;
  writeTrace(file.path());
  const std::string json = test::exported(file.path(), test::jsonLines);
  for (const char *kind : {"merged", "indirect", "called", "recursive", "inlined"})
    CHECK_THAT(json, Catch::Contains(R"("kind":")" + std::string(kind) + '"'));
}

} // namespace call_frame_test
