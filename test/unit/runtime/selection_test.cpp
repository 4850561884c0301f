#include "hostlib/runtime/settings/selection.h"

#include <catch2/catch.hpp>

using cupr::host::Selection;
using cupr::host::Settings;

namespace {

unsigned chosen(Selection &selection, const std::string &kernel, unsigned launches) {
  unsigned count = 0;
  for (unsigned i = 0; i < launches; ++i)
    count += selection.reasonAgainst(kernel).empty();
  return count;
}

} // namespace

TEST_CASE("without settings every launch is chosen") {
  Selection selection{Settings{}};
  CHECK(chosen(selection, "k(float*)", 10) == 10);
}

TEST_CASE("an expression is searched in the demangled name") {
  Settings settings;
  settings.kernels = "^void scale<(float|double)>";
  Selection selection(settings);
  CHECK(selection.reasonAgainst("void scale<float>(float*)").empty());
  CHECK(selection.reasonAgainst("void scale<int>(int*)") == "CUPR_KERNELS does not name it");
  CHECK(selection.reasonAgainst("void rescale<float>(float*)") == "CUPR_KERNELS does not name it");
}

TEST_CASE("filters that choose nothing say so, with what there was") {
  Settings settings;
  settings.kernels = "^nosuchkernel$";
  settings.kernelName = cupr::trace::NamePart::Function;
  Selection selection(settings);
  CHECK(selection.whyNothing().empty()); // there was no launch
  static_cast<void>(selection.reasonAgainst("void scale<int>(int*)"));
  static_cast<void>(selection.reasonAgainst("ns::add(int*)"));
  CHECK(selection.whyNothing() ==
        "CUPR_KERNELS ('^nosuchkernel$') names none of the kernels, which are add, scale");
  for (int i = 0; i < 30; ++i)
    static_cast<void>(selection.reasonAgainst("other" + std::to_string(100 + i) + "()"));
  CHECK(selection.whyNothing().ends_with("other118 and 12 more"));

  settings.kernels = "add";
  Selection some(settings);
  CHECK(chosen(some, "add(int*)", 1) == 1);
  CHECK(some.whyNothing().empty());

  settings.launchSkip = 10;
  Selection later(settings);
  CHECK(chosen(later, "add(int*)", 3) == 0);
  CHECK(later.whyNothing() == "CUPR_LAUNCHES skips 10 and traces the rest, and the other filters chose 3");
}

TEST_CASE("an expression can be about a part of the name") {
  const auto chosenBy = [](const char *expression, cupr::trace::NamePart part, const char *kernel) {
    Settings settings;
    settings.kernels = expression;
    settings.kernelName = part;
    return Selection(settings).reasonAgainst(kernel).empty();
  };
  const char *const kernel = "void ns::(anonymous namespace)::scale<ns::pair<int> >(float*, scale_type<int>)";
  CHECK(chosenBy("^scale$", cupr::trace::NamePart::Function, kernel));
  CHECK_FALSE(chosenBy("^scale$", cupr::trace::NamePart::Qualified, kernel));
  CHECK_FALSE(chosenBy("^pair$", cupr::trace::NamePart::Function, kernel));
  CHECK_FALSE(chosenBy("ns", cupr::trace::NamePart::Function, kernel));
  CHECK(chosenBy("^ns::.*::scale$", cupr::trace::NamePart::Qualified, kernel));
  CHECK_FALSE(chosenBy("scale_type", cupr::trace::NamePart::Qualified, kernel));
  CHECK(chosenBy("scale_type", cupr::trace::NamePart::Demangled, kernel));
  CHECK(chosenBy("^call$", cupr::trace::NamePart::Function, "call"));
}

TEST_CASE("a malformed expression chooses everything") {
  Settings settings;
  settings.kernels = "[";
  Selection selection(settings);
  CHECK(chosen(selection, "k()", 3) == 3);
}

TEST_CASE("launches are skipped and counted among those that the name chooses") {
  Settings settings;
  settings.kernels = "a";
  settings.launchSkip = 2;
  settings.launchCount = 3;
  Selection selection(settings);
  CHECK(chosen(selection, "b()", 5) == 0);
  CHECK(chosen(selection, "a()", 2) == 0);
  CHECK(chosen(selection, "b()", 5) == 0);
  CHECK(chosen(selection, "a()", 10) == 3);
}

TEST_CASE("launches while recording is off do not count") {
  Settings settings;
  settings.recordFromStart = false;
  settings.launchCount = 2;
  Selection selection(settings);
  CHECK(chosen(selection, "k()", 5) == 0);
  cupr::host::setRecording(true);
  CHECK(chosen(selection, "k()", 5) == 2);
}
