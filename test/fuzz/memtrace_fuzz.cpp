/// Any bytes as a memory trace of cuda-memtrace: BadTrace, or a trace that verifies, and whose export is
/// imported as the same accesses.
#include "analysis/memtrace/exporter.h"
#include "analysis/memtrace/importer.h"
#include "analysis/model/model.h"
#include "analysis/verify/verifier.h"
#include "framed_input.h"
#include "unit/analysis/string_sink.h"

#include <cstdio>
#include <cstdlib>

using namespace cupr;
using namespace cupr::analysis;

namespace {

[[noreturn]] void fail(const std::string &what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}

/// The file in the newest version; what it was is in `imported`.
std::string throughTrace(const std::string &bytes, Imported &imported) {
  const test::MemoryFile in(bytes), out("");
  imported = importMemtrace(in.path(), out.path());
  std::string error;
  const trace::Verdict verdict = trace::verify(*trace::Reader::open(out.path(), error));
  if (!verdict.problems.empty())
    fail(verdict.problems.front());
  if (verdict.counts.accesses() != imported.accesses)
    fail("accesses are lost");
  const Model model(out.path());
  test::Written written;
  test::StringSink sink(written);
  Progress progress("fuzz", stderr, false);
  exportTrace(model, {}, *memtraceExporter(sink, 3), progress);
  return written.text;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  try {
    Imported first, second;
    const std::string once = throughTrace(std::string(reinterpret_cast<const char *>(data), size), first);
    const std::string twice = throughTrace(once, second);
    if (once != twice || first.kernels != second.kernels || first.accesses != second.accesses)
      fail("an export and an import change a memory trace");
  } catch (const BadTrace &) {
  }
  return 0;
}
