#include "cuprewrite/rewriter/augment.h"

#include <catch2/catch.hpp>

using namespace cupr::rewrite;

namespace {

/// A program in one file, built fact by fact.
struct Program {
  Facts facts;
  FileId file = facts.intern("/p/a.cu", "a.cu");

  Place at(std::uint32_t offset) const { return {file, 1, offset + 1}; }

  void function(const std::string &key, FunctionKind kind, const std::string &keepReason = "") {
    Function function;
    function.key = function.name = key;
    function.kind = kind;
    function.keepReason = keepReason;
    function.place = at(0);
    facts.add(function);
  }
  void list(const std::string &key, FunctionKind kind, std::uint32_t offset, ListForm form) {
    facts.parameterLists.push_back(
        {key, kind, Spot{file, offset}, form, form == ListForm::Void ? 4u : 0u, at(0)});
  }
  void call(const std::string &target, std::uint32_t offset, const std::string &enclosing = "",
            Certainty certainty = Certainty::Resolved, ListForm form = ListForm::Filled) {
    facts.calls.push_back({target, target, certainty, Spot{file, offset}, form, enclosing, at(offset)});
  }
  void launch(const std::string &target, std::uint32_t offset, bool onDevice = false,
              std::uint32_t mark = 0) {
    Launch launch;
    if (mark)
      launch.markSpot = Spot{file, mark};
    launch.target = launch.name = target;
    launch.spot = Spot{file, offset};
    launch.form = ListForm::Filled;
    launch.onDevice = onDevice;
    facts.launches.push_back(launch);
  }
  std::string edits() {
    Diagnostics diagnostics;
    const Augmentation result = augment(facts, diagnostics);
    for (const Decision &decision : result.decisions)
      report(decision, diagnostics);
    errors = diagnostics.errors();
    warnings = diagnostics.warnings();
    std::string out;
    for (const Edit &edit : result.plan.edits(file))
      out += std::to_string(edit.offset) + "[" + edit.text + "]";
    return out;
  }
  unsigned errors = 0, warnings = 0;
};

} // namespace

TEST_CASE("Each form of a parameter list gets its own text") {
  Program program;
  program.function("k", FunctionKind::Kernel);
  program.function("f", FunctionKind::Device);
  program.list("k", FunctionKind::Kernel, 10, ListForm::Empty);
  program.list("f", FunctionKind::Device, 20, ListForm::Void);
  program.list("f", FunctionKind::Device, 30, ListForm::Variadic);
  program.list("f", FunctionKind::Device, 40, ListForm::Named);
  CHECK(program.edits() == "10[const __grid_constant__ cupr::Trace cupr_trace]"
                           "20[const cupr::Trace &cupr_trace /*]24[*/]"
                           "30[const cupr::Trace &cupr_trace __VA_OPT__(,) ]"
                           "40[const cupr::Trace &cupr_trace, ##]");
}

TEST_CASE("A call names the parameter where there is one") {
  Program program;
  program.function("f", FunctionKind::Device);
  program.function("kept", FunctionKind::Device, "it is an operator");
  program.call("f", 1, "f");
  program.call("f", 2, "kept");
  program.call("f", 3);
  program.call("kept", 4, "f");
  CHECK(program.edits() == "1[cupr_trace, ]2[cupr::current(), ]3[cupr::current(), ]");
}

TEST_CASE("A macro body that serves both kinds of callers asks for the current trace") {
  Program program;
  program.function("f", FunctionKind::Device);
  program.call("f", 1, "f");
  program.call("f", 1);
  CHECK(program.edits() == "1[cupr::current(), ]");
  CHECK(program.errors == 0);
}

TEST_CASE("Device functions that one text calls beside others keep their signatures") {
  Program program;
  for (const char *name : {"f", "g", "h", "far"}) {
    program.function(name, FunctionKind::Device);
    program.facts.functions[name].defined = true;
  }
  program.list("f", FunctionKind::Device, 20, ListForm::Empty);
  program.list("g", FunctionKind::Device, 30, ListForm::Empty);
  program.list("h", FunctionKind::Device, 40, ListForm::Empty);
  program.call("f", 1);
  program.call("", 1);
  // g loses its trace argument since f did; h stands alone.
  program.call("g", 2);
  program.call("f", 2);
  program.call("h", 3);
  SECTION("only this file knows them") {
    CHECK(program.edits() == "3[cupr::current(), ]40[const cupr::Trace &cupr_trace]");
    CHECK(program.errors == 0);
    CHECK(program.warnings == 0);
  }
  SECTION("another file, rewritten on its own, may disagree") {
    program.facts.functions["f"].shared = true;
    program.facts.functions["f"].place.file = program.facts.intern("/p/f.h", "f.h");
    program.edits();
    CHECK(program.errors == 0);
    CHECK(program.warnings == 1);
  }
  SECTION("another file certainly disagrees") {
    program.facts.functions["f"].shared = true;
    program.facts.functions["f"].defined = false;
    program.facts.functions["f"].place.file = program.facts.intern("/p/f.h", "f.h");
    program.edits();
    CHECK(program.errors == 1);
  }
}

TEST_CASE("A call that a library's macro writes keeps its function's signature") {
  Program program;
  program.function("f", FunctionKind::Device);
  program.list("f", FunctionKind::Device, 20, ListForm::Empty);
  program.call("f", 1);
  program.facts.calls.push_back(
      {"f", "f", Certainty::Resolved, std::nullopt, ListForm::Filled, "", program.at(3)});
  CHECK(program.edits().empty());
  CHECK(program.errors == 0);
}

TEST_CASE("A kernel that a library's macro launches keeps its signature") {
  Program program;
  program.function("k", FunctionKind::Kernel);
  program.list("k", FunctionKind::Kernel, 20, ListForm::Filled);
  program.launch("k", 1, false, 5);
  program.launch("k", 1);
  program.facts.launches.back().spot = std::nullopt;
  CHECK(program.edits() == "5[cupr_place(0)->*]");
  CHECK(program.errors == 0);
}

TEST_CASE("Kernels that one text launches beside others keep their signatures") {
  Program program;
  program.function("k", FunctionKind::Kernel);
  program.function("l", FunctionKind::Kernel);
  program.launch("k", 10, false, 5);
  program.launch("", 10, false, 5);
  program.launch("k", 30, false, 25);
  program.launch("l", 30, false, 25);
  program.launch("l", 50, false, 45);
  CHECK(program.edits() == "5[cupr_place(0)->*]25[cupr_place(1)->*]45[cupr_place(2)->*]");
  CHECK(program.errors == 0);
}

TEST_CASE("Kernels that one text launches in two forms keep their signatures") {
  Program program;
  program.function("k", FunctionKind::Kernel);
  program.launch("k", 10, false, 5);
  program.launch("k", 10, false, 5);
  program.facts.launches.back().form = ListForm::Empty;
  program.launch("k", 30, false, 25);
  CHECK(program.edits() == "5[cupr_place(0)->*]25[cupr_place(1)->*]");
  CHECK(program.errors == 0);
}

TEST_CASE("A launch that takes its arguments as an array is marked, whatever its kernel") {
  Program program;
  program.function("k", FunctionKind::Kernel);
  program.list("k", FunctionKind::Kernel, 20, ListForm::Filled);
  program.launch("k", 1, false, 5);
  program.facts.launches.back().spot = std::nullopt;
  program.facts.launches.back().launchForm = LaunchForm::Array;
  CHECK(program.edits() == "5[cupr_place(0)->*]20[const __grid_constant__ cupr::Trace cupr_trace, ]");
}

TEST_CASE("Instantiations overrule the candidates of the pattern") {
  Program program;
  program.function("f", FunctionKind::Device);
  program.call("f", 1, "f", Certainty::Candidate);
  program.call("", 1, "f", Certainty::Candidate);
  SECTION("nothing instantiates it") {
    CHECK(program.edits().empty());
    CHECK(program.warnings == 1);
  }
  SECTION("an instantiation means the device function") {
    program.call("f", 1, "f");
    CHECK(program.edits() == "1[cupr_trace, ]");
  }
  SECTION("an instantiation means the other") {
    program.call("", 1, "f");
    CHECK(program.edits().empty());
    CHECK(program.warnings == 0);
  }
}

TEST_CASE("Where only the name is known, functions of that name decide") {
  Program program;
  program.function("f", FunctionKind::Device);
  program.function("host", FunctionKind::Host, "it is a host function");
  program.function("both", FunctionKind::HostDevice, "host code may call it too");
  const auto unknown = [&](std::uint32_t offset, const std::string &enclosing) {
    program.call("", offset, enclosing, Certainty::Unknown);
    program.facts.calls.back().name = "f";
  };
  unknown(1, "f");
  unknown(2, "host");
  unknown(3, "both");
  CHECK(program.edits() == "1[cupr_trace, ]");
  CHECK(program.warnings == 1);
}

TEST_CASE("Launches are numbered in the order of the file") {
  Program program;
  program.function("k", FunctionKind::Kernel);
  program.launch("k", 50);
  program.launch("", 30);
  program.launch("k", 10);
  program.launch("k", 10); // the other side
  CHECK(program.edits() == "10[cupr_launch(0), ]50[cupr_launch(2), ]");
}

TEST_CASE("A launch by a kernel hands its own trace on, with a warning") {
  Program program;
  program.function("k", FunctionKind::Kernel);
  program.launch("k", 10, true);
  CHECK(program.edits() == "10[cupr::current(), ]");
  CHECK(program.warnings == 1);
}

TEST_CASE("A use of the type keeps the signature; how loud depends on who can see it") {
  Program program;
  program.function("k", FunctionKind::Kernel);
  program.list("k", FunctionKind::Kernel, 10, ListForm::Empty);
  program.facts.uses.insert({"k", program.at(3)});
  SECTION("in the file of the declaration") {
    program.facts.functions["k"].shared = true;
    CHECK(program.edits().empty());
    CHECK(program.warnings == 0); // it is traced all the same
  }
  SECTION("elsewhere, and other files may disagree") {
    program.facts.functions["k"].shared = true;
    program.facts.functions["k"].place.file = program.facts.intern("/p/k.h", "k.h");
    CHECK(program.edits().empty());
    CHECK(program.errors == 1);
  }
}

TEST_CASE("A function that is different on the two sides keeps its signature") {
  Program program;
  program.function("f", FunctionKind::Device);
  program.function("f", FunctionKind::HostDevice, "host code may call it too");
  program.list("f", FunctionKind::Device, 10, ListForm::Filled);
  CHECK(program.edits().empty());
}

TEST_CASE("A conflict between two parses names both") {
  Program host, device;
  host.facts.sides = {"the host"};
  device.facts.sides = {"sm_80"};
  for (auto [program, kind] : {std::pair(&host, FunctionKind::Kernel), {&device, FunctionKind::Device}}) {
    program->function("f", kind);
    program->list("f", kind, 10, ListForm::Filled);
  }
  host.facts.merge(device.facts);
  CHECK(host.facts.sides == std::vector<std::string>{"the host", "sm_80"});
  Diagnostics diagnostics;
  augment(host.facts, diagnostics);
  REQUIRE(diagnostics.all().size() == 2);
  CHECK(
      diagnostics.all()[0].text.find("__grid_constant__ cupr::Trace cupr_trace, ' is needed here when it is "
                                     "compiled for the host; write") != std::string::npos);
  CHECK(diagnostics.all()[1].text ==
        "an inserted 'const cupr::Trace &cupr_trace, ' is needed here when it is compiled for sm_80");
}

TEST_CASE(
    "Scope and attributes tell explicit instantiations of one name apart, or both keep their signatures") {
  Program program;
  program.function("host::f", FunctionKind::Host, "it is a host function");
  program.function("device::f", FunctionKind::Device);
  Instantiation instantiation;
  instantiation.functions = {"host::f", "device::f"};
  instantiation.spot = Spot{program.file, 5};
  instantiation.form = ListForm::Filled;
  SECTION("neither is written") {
    program.facts.instantiations = {instantiation};
    CHECK(program.edits().empty());
    CHECK(program.errors == 0);
  }
  SECTION("the attribute is") {
    instantiation.kind = FunctionKind::Device;
    program.facts.instantiations = {instantiation};
    CHECK(program.edits() == "5[const cupr::Trace &cupr_trace, ]");
  }
  SECTION("the scope is") {
    instantiation.scope = "host";
    program.facts.instantiations = {instantiation};
    CHECK(program.edits().empty());
    CHECK(program.errors == 0);
  }
}
