/// A trace as exporters write it.
#ifndef CUPR_TEST_EXPORTED_TEXT_H
#define CUPR_TEST_EXPORTED_TEXT_H

#include "analysis/export/exporter.h"
#include "analysis/output/progress.h"
#include "string_sink.h"

#include <catch2/catch.hpp>
#include <memory>
#include <string>

namespace cupr::test {

inline std::unique_ptr<analysis::Exporter> jsonLines(const analysis::Model &model, analysis::ByteSink &sink) {
  return jsonExporter(model, sink, analysis::Json::Style::Line);
}

/// `make(model, sink)` gives the exporter.
template <typename Make>
std::string exported(const std::string &path, Make make, const analysis::Selection &selection = {},
                     analysis::Compression compression = analysis::Compression::None) {
  Written written;
  const auto sink = compressed(std::make_unique<StringSink>(written), compression);
  const analysis::Model model(path);
  analysis::Progress progress("test", stderr, false);
  exportTrace(model, selection, *make(model, *sink), progress);
  CHECK(written.isFinished);
  return written.text;
}

} // namespace cupr::test

#endif
