/// Any bytes as a damaged trace: repair gives a trace that reads to its end, that the analysis opens, whose
/// faults are those that it names itself, and that a second repair leaves as it is.
#include "analysis/model/records.h"
#include "analysis/verify/verifier.h"
#include "framed_input.h"
#include "hostlib/trace/repair.h"
#include "unit/trace/said_problem.h"

#include <cstdio>
#include <cstdlib>

using namespace cupr;
using namespace cupr::trace;

namespace {

[[noreturn]] void fail(const std::string &what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}

void repairAndRead(const std::string &bytes) {
  const test::MemoryFile in(bytes), out(""), again("");
  std::string error;
  const auto reader = Reader::open(in.path(), error);
  const Repaired repaired = repair(*reader, out.path());
  if (!repaired.badTrace.empty())
    return;
  if (!repaired.good())
    fail(repaired.writeError);
  const Verdict verdict = verify(*Reader::open(out.path(), error));
  for (const std::string &problem : verdict.problems)
    if (!test::isSaidByTrace(problem))
      fail(problem);
  if (!repaired.missing.empty() && verdict.problems.empty())
    fail("what is missing is not in the repaired trace: " + repaired.missing.front());
  const analysis::Model model(out.path());
  for (const analysis::LaunchInfo &launch : model.launches()) {
    analysis::RecordStream records(model, launch);
    while (records.next()) {
    }
  }
  const auto second = Reader::open(out.path(), error);
  if (!repair(*second, again.path()).missing.empty() || again.read() != out.read())
    fail("a repaired trace is repaired again");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  repairAndRead(std::string(reinterpret_cast<const char *>(data), size));
  repairAndRead(test::mended(data, size));
  return 0;
}
