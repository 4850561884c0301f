/// Other faults than races in traces that are made by hand, and how all are told: what the planted programs of test/faults can't bring about on every device.
#include "check_scene.h"

#include "analysis/render/check_json.h"
#include "unit/trace/host_trace.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <fmt/format.h>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace check_test {

TEST_CASE("what nobody wrote, and what is nobody's") {
  using enum FaultRule;
  constexpr std::uint64_t kNew = 0x30000;
  CHECK(after([&](Scene &s) {
          s.trace.allocate(kNew, 100);
          s.make(s.load, 0, 0, kNew);
        }) == Rules{UninitialisedRead});
  CHECK(after([&](Scene &s) {
          s.trace.allocate(kNew, 100);
          s.make(s.store, 0, 0, kNew);
          s.make(s.load, 0, 0, kNew);
        }).empty());
  CHECK(after([&](Scene &s) {
          s.trace.allocate(kNew, 100);
          s.make(s.store, 0, 0, kNew + 100);
        }) == Rules{OutOfBounds});
  // Where nothing says whose it is, it may be a variable's.
  CHECK(after([&](Scene &s) { s.make(s.store, 0, 0, 0x700000); }).empty());
  CHECK(after([&](Scene &s) { s.make(s.load, 0, 0, 8); }) == Rules{OutOfBounds});
  CHECK(after([&](Scene &s) {
          s.trace.allocate(kNew, 100);
          s.trace.free(kNew);
          s.make(s.store, 0, 0, kNew);
        }) == Rules{UseAfterFree});
}

TEST_CASE("memory that a launch may have written which is not traced is not said to be unwritten") {
  constexpr std::uint64_t kNew = 0x30000;
  CHECK(after([&](Scene &s) {
          s.trace.allocate(kNew, 100);
          s.trace.untraced("other()", {1, 1, 1}, {1, 1, 1}, 0, 0);
          s.make(s.load, 0, 0, kNew);
        }).empty());
}

TEST_CASE("where there is no room, that is said, and nothing false") {
  Scene scene;
  for (std::uint32_t page = 0; page < 4; ++page)
    scene.trace.allocate(0x1000000 + std::uint64_t{page} * 0x100000, 0x100000);
  for (std::uint32_t page = 0; page < 1024; ++page)
    for (std::uint32_t block = 0; block < 2; ++block)
      scene.words.strided(scene.store, block, 0, 0x1000000 + page * 0x1000 + block * 128, 4);
  scene.launch();
  scene.trace.writer->finish();
  const Model model(scene.file.path());
  const Checked checked = check(model, {.threads = 1, .memory = 1});
  for (const Fault &fault : checked.faults)
    CHECK(fault.rule == FaultRule::Leak);
  REQUIRE(!checked.unchecked.empty());
  CHECK(checked.unchecked.back().why.find("no room") != std::string::npos);
}

TEST_CASE("what is freed twice, or is no allocation, is told with its call") {
  Scene scene;
  scene.make(scene.load, 0, 0);
  scene.launch();
  scene.trace.free(kFlag + 4); // inside
  scene.trace.free(kFlag);
  scene.trace.free(kFlag);
  scene.trace.allocate(kFlag, 0x100); // at the same address
  scene.trace.free(kFlag);
  scene.trace.free(0x700000); // never was one
  std::vector<std::pair<FaultRule, std::optional<std::uint32_t>>> found;
  for (const Fault &fault : scene.faults())
    found.emplace_back(fault.rule, fault.allocation);
  CHECK(found == std::vector<std::pair<FaultRule, std::optional<std::uint32_t>>>{
                     {FaultRule::DoubleFree, 1}, {FaultRule::InvalidFree, 1}, {FaultRule::InvalidFree, {}}});
}

TEST_CASE(
    "errors that nobody looked at are told by the place of their call, a launch's by that of its caller") {
  Scene scene;
  scene.make(scene.load, 0, 0);
  scene.launch();
  scene.trace.free(kData);
  scene.trace.free(kFlag);
  test::HostRows rows;
  constexpr std::uint32_t kNone = trace::kNoHostIndex;
  const std::uint32_t app = rows.object("/usr/bin/app");
  const auto inMain = [&](std::uint32_t line) {
    return rows.node(kNone, app, 0x1000 + line, {{"main", "app.cu", line, 3}});
  };
  const std::uint32_t one = inMain(10), other = inMain(11);
  const auto below = [&](std::uint32_t caller, std::uint64_t offset, const char *function,
                         std::uint32_t line) {
    return rows.node(caller, app, offset, {{function, "app.cu", line, 5}});
  };
  const char *const stub = "__device_stub__k(cupr::argument::Trace, int*)";
  rows.batch.failures = {
      {"cudaMemset", "cudaErrorInvalidValue", "invalid argument", below(one, 0x2000, "clear(int*)", 4), 2},
      {"cudaMemset", "cudaErrorInvalidValue", "invalid argument", below(other, 0x2000, "clear(int*)", 4), 3},
      {"cudaLaunchKernel", "cudaErrorInvalidValue", "invalid argument", below(one, 0x3000, stub, 1), 1},
      {"cudaLaunchKernel", "cudaErrorInvalidValue", "invalid argument", below(other, 0x3000, stub, 1), 1},
      {"cudaDeviceSynchronize", "cudaErrorIllegalAddress", "an illegal memory access was encountered", kNone,
       1}};
  scene.trace.writer->host(rows.batch);
  scene.trace.writer->finish();
  const Model model(scene.file.path());
  const Checked checked = check(model, {.threads = 1});
  std::vector<std::string> told;
  for (const ShownFault &shown : shownFaults(model, checked.faults)) {
    const ShownPlace &place = shown.places.at(0);
    CHECK(shown.fault->rule == FaultRule::UncheckedError);
    CHECK(place.act == "call");
    CHECK(shown.memory.empty());
    told.push_back(fmt::format("{}|{} at {} in {} from {}|{}|{}", shown.title, place.operation, place.place(),
                               place.function, place.hostPath, shown.advice, shown.fault->count));
  }
  CHECK(told == std::vector<std::string>{
                    "cudaMemset returned an error that the program does not look at: cudaErrorInvalidValue "
                    "(invalid argument)|"
                    "cudaMemset at app.cu:4:5 in clear(int*) from main > clear(int*)|"
                    "Look at the value of cudaMemset at app.cu:4:5, or call cudaGetLastError() behind it.|5",
                    "A launch of k(int*) had an error that the program does not ask for: "
                    "cudaErrorInvalidValue (invalid argument)|"
                    "launch at app.cu:10:3 in main from main|Call cudaGetLastError() behind the launch at "
                    "app.cu:10:3.|1",
                    "A launch of k(int*) had an error that the program does not ask for: "
                    "cudaErrorInvalidValue (invalid argument)|"
                    "launch at app.cu:11:3 in main from main|Call cudaGetLastError() behind the launch at "
                    "app.cu:11:3.|1",
                    "cudaDeviceSynchronize returned an error that the program does not look at: "
                    "cudaErrorIllegalAddress "
                    "(an illegal memory "
                    "access was encountered)|cudaDeviceSynchronize at  in  from |"
                    "Look at the value of cudaDeviceSynchronize, or call cudaGetLastError() behind it.|1"});
}

TEST_CASE("a kernel that ended with an error is told of where no access says why") {
  const auto failed = [](const char *device, const std::string &reason, bool isOutOfBounds) {
    Scene scene(device);
    for (unsigned launch = 0; launch < 2; ++launch) {
      if (isOutOfBounds)
        scene.make(scene.load, 0, 0, 0x8); // around null
      const trace::LaunchId id = scene.trace.launch("k(int*)", {2, 1, 1}, {64, 1, 1});
      scene.trace.records(id, scene.words);
      scene.words.clear();
      trace::LaunchEnd end;
      end.id = id;
      end.reason = reason;
      end.recordWords = scene.trace.writer->recordWords(id);
      scene.trace.writer->launchEnd(end);
    }
    std::vector<std::string> rules;
    for (const Fault &fault : scene.faults())
      rules.push_back(idOf(fault.rule) + std::to_string(fault.place.launch));
    return rules;
  };
  const std::vector<std::string> both = {"failed-kernel0", "failed-kernel1"}, first = {"failed-kernel0"};
  CHECK(failed("cpu", "the kernel ended with cudaErrorAssert: block (0,0,0): why", false) == both);
  // All that were on their way end with it: the first of them is named.
  CHECK(failed("gpu", "the GPU stopped with CUDA_ERROR_ASSERT", false) == first);
  CHECK(failed("gpu", "the record buffer was full", false).empty());
  CHECK(failed("gpu", "the GPU stopped with CUDA_ERROR_ILLEGAL_ADDRESS", true) ==
        std::vector<std::string>{"out-of-bounds0"});
}

TEST_CASE("the same is found by one thread and by many") {
  Scene scene;
  for (std::uint32_t at = 0; at < 2000; ++at)
    scene.make(at % 3 == 0 ? scene.store : scene.load, at % 2, at / 2 % 2, kData + at * 52 % 0x1000);
  scene.launch();
  scene.trace.writer->finish();
  const Model model(scene.file.path());
  const auto json = [&](unsigned threads) {
    const Checked checked = check(model, {.threads = threads});
    return checkJson(model, checked, shownFaults(model, checked.faults));
  };
  const std::string one = json(1);
  CHECK(one == json(4));
  CHECK(nlohmann::json::parse(one)["faults"].size() > 1);
}

TEST_CASE("JSON says of each rule what it is, by itself, and whether it is an error") {
  Scene scene;
  scene.trace.writer->finish();
  const Model model(scene.file.path());
  const Checked checked = check(model, {.threads = 1});
  const auto json = nlohmann::json::parse(checkJson(model, checked, shownFaults(model, checked.faults)));
  CHECK(json["rules"].size() == kFaultRules.size());
  for (std::size_t i = 0; i < kFaultRules.size(); ++i) {
    const auto &rule = json["rules"][i];
    CHECK(rule["id"] == idOf(kFaultRules[i]));
    CHECK(rule["meaning"] == meaningOf(kFaultRules[i]));
    CHECK(rule["severity"] == (kFaultRules[i] == FaultRule::Leak ? "warning" : "error"));
  }
}

TEST_CASE("SARIF has a rule for each kind of fault, and a place for each access") {
  Scene scene;
  scene.make(scene.store, 0, 0);
  scene.make(scene.load, 1, 0);
  scene.launch();
  scene.trace.writer->finish();
  const Model model(scene.file.path());
  const Checked checked = check(model, {.threads = 1});
  std::vector<ShownFault> faults = shownFaults(model, checked.faults);
  const auto sarif = nlohmann::json::parse(checkSarif(model, checked, faults, "/", "1"));
  CHECK(sarif["version"] == "2.1.0");
  const auto &run = sarif["runs"][0];
  CHECK(run["tool"]["driver"]["rules"].size() == kFaultRules.size());
  const auto &race = run["results"][0];
  CHECK(race["ruleId"] == "race-blocks");
  CHECK(race["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a.cu");
  CHECK(race["locations"][0]["physicalLocation"]["region"]["startLine"] == 2);
  CHECK(race["relatedLocations"][0]["physicalLocation"]["region"]["startLine"] == 1);
  CHECK(race["relatedLocations"][0]["id"] == 1);
  CHECK(race["message"]["text"].get<std::string>().ends_with("The other access: [a.cu:1:7](1)."));

  // GitHub takes no result without a place, and no place without a region.
  const auto regionOf = [](const nlohmann::json &result) {
    REQUIRE(result["locations"].size() == 1);
    return result["locations"][0]["physicalLocation"]["region"];
  };
  faults[0].places[0].file = "/home/me/a.cu";
  faults[0].places[0].expression = {.text = "x[i]", .column = 3};
  faults[0].places[1].file = "";
  faults[0].advice = "Look at /home/me/a.cu:1.";
  const auto one =
      nlohmann::json::parse(checkSarif(model, checked, faults, "/home/me", "1"))["runs"][0]["results"][0];
  CHECK(one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a.cu");
  CHECK(regionOf(one) ==
        nlohmann::json{{"startLine", 1}, {"startColumn", 3}, {"endLine", 1}, {"endColumn", 7}});
  CHECK(one["message"]["text"].get<std::string>().ends_with(" Look at a.cu:1."));
  CHECK(!one.contains("relatedLocations"));
  faults[0].places[0].file = "";
  const auto none =
      nlohmann::json::parse(checkSarif(model, checked, faults, "/", "1"))["runs"][0]["results"][0];
  CHECK(none["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "usr/bin/app");
  CHECK(regionOf(none) ==
        nlohmann::json{{"startLine", 1}, {"startColumn", 1}, {"endLine", 1}, {"endColumn", 2}});
}

} // namespace check_test
