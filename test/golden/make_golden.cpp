/// Writes the golden traces into a folder. Their content depends on this file alone.
#include "unit/trace/counted_trace.h"
#include "unit/trace/derived_trace.h"
#include "unit/trace/forms_trace.h"
#include "unit/trace/host_trace.h"
#include "unit/trace/small_trace.h"
#include "unit/trace/spaces_trace.h"
#include "unit/trace/stencil_trace.h"
#include "unit/trace/timed_trace.h"
#include "unit/trace/untraced_trace.h"
#include "unit/trace/values_trace.h"

#include <cstdio>

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: cupr_make_golden FOLDER\n");
    return 1;
  }
  cupr::test::writeCountedTrace(std::string(argv[1]) + "/counted.cuprtrace");
  cupr::test::writeDerivedTrace(std::string(argv[1]) + "/derived.cuprtrace");
  cupr::test::writeFormsTrace(std::string(argv[1]) + "/forms.cuprtrace");
  cupr::test::writeHostTrace(std::string(argv[1]) + "/host.cuprtrace");
  cupr::test::writeSmallTrace(std::string(argv[1]) + "/small.cuprtrace");
  cupr::test::writeStencilTrace(std::string(argv[1]) + "/stencil.cuprtrace");
  cupr::test::writeTimedTrace(std::string(argv[1]) + "/timed.cuprtrace");
  cupr::test::writeUntracedTrace(std::string(argv[1]) + "/untraced.cuprtrace");
  cupr::test::writeValuesTrace(std::string(argv[1]) + "/values.cuprtrace");
  cupr::test::writeSpacesTrace(std::string(argv[1]) + "/spaces.cuprtrace");
  return 0;
}
