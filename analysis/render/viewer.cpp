/// The page is a template that viewer/ builds, with two marks in one script element: the name of a trace, and the trace in base64.
#include "viewer.h"

#include "analysis/output/base64_sink.h"
#include "analysis/output/markup.h"

#include <string_view>

extern "C" const char cuprViewerTemplate[], cuprViewerTemplateEnd[];

namespace cupr::analysis {

namespace {

constexpr std::string_view kNameMark = "@NAME@", kTraceMark = "@TRACE@";

} // namespace

void writeViewer(const std::string &trace, ByteSink &sink) {
  const std::string_view page(cuprViewerTemplate,
                              static_cast<std::size_t>(cuprViewerTemplateEnd - cuprViewerTemplate));
  const std::size_t name = page.find(kNameMark), mark = page.find(kTraceMark, name);
  sink.write(page.substr(0, name));
  sink.write(markup(trace.substr(trace.find_last_of('/') + 1)));
  sink.write(page.substr(name + kNameMark.size(), mark - name - kNameMark.size()));
  if (!trace.empty()) {
    Base64Sink text(sink);
    copyFile(trace, text);
    text.finish();
  }
  sink.write(page.substr(mark + kTraceMark.size()));
}

} // namespace cupr::analysis
