#include "cuprewrite/tool/device_part.h"

#include <catch2/catch.hpp>

using namespace cupr::tool;

namespace {

DevicePart part(const std::string &source, const std::string &bitcode) {
  DevicePart part;
  part.version = devicePartVersion();
  part.source = part.unit = source;
  part.target = {"sm_90", {"sm_90"}, true};
  part.optimisation = "-O2";
  part.bitcode = bitcode;
  return part;
}

std::vector<DevicePart> read(const std::string &section) {
  std::string error;
  std::vector<DevicePart> parts = parseDeviceParts(section, error);
  CHECK(error == "");
  return parts;
}

std::string partError(const std::string &section) {
  std::string error;
  CHECK(parseDeviceParts(section, error).empty());
  return error;
}

} // namespace

TEST_CASE("parts are read as they were written, one behind the other") {
  DevicePart first = part("/src/a=b.cu", std::string("BC\0\1", 4)), second = part("/src/c.cu", "");
  first.assemblerFlags = {"--maxrregcount=32", "-v"};
  first.target = {"sm_80", {"sm_80", "sm_86"}, false};
  CHECK(first.bytes().size() % 16 == 0);
  const std::vector<DevicePart> parts = read(first.bytes() + second.bytes());
  REQUIRE(parts.size() == 2);
  CHECK(parts[0].version == devicePartVersion());
  CHECK(parts[0].source == "/src/a=b.cu");
  CHECK(parts[0].unit == "/src/a=b.cu");
  CHECK(parts[0].target == first.target);
  CHECK(parts[0].optimisation == "-O2");
  CHECK(parts[0].assemblerFlags == first.assemblerFlags);
  CHECK(parts[0].bitcode == first.bitcode);
  CHECK(parts[1].source == "/src/c.cu");
  CHECK(parts[1].bitcode == "");
  CHECK(read("").empty());
}

TEST_CASE("damaged parts are noticed") {
  const std::string bytes = part("a.cu", std::string(100, 'x')).bytes();
  CHECK(partError(bytes.substr(0, 100)) == "is cut off");
  CHECK(partError(bytes.substr(0, 20)) == "is not in the form that this cupr++ knows");
  CHECK(partError(bytes + "no part, but as long as the head of one") ==
        "is not in the form that this cupr++ knows");
  std::string huge = bytes;
  huge[15] = '\x7f'; // the highest byte of the properties' length
  CHECK(partError(huge) == "is cut off");
}

namespace {

using Targets = std::vector<GpuTarget>;
const GpuTarget k80{"sm_80", {"sm_80"}, false}, k90{"sm_90", {"sm_90"}, true};

std::string mismatch(const std::vector<DevicePart> &parts, const Targets &wanted = {}) {
  std::string error;
  CHECK(linkedTargets(parts, wanted, error).empty());
  return error;
}

Targets linked(const std::vector<DevicePart> &parts, const Targets &wanted = {}) {
  std::string error;
  const Targets targets = linkedTargets(parts, wanted, error);
  CHECK(error == "");
  return targets;
}

DevicePart partFor(const std::string &source, const GpuTarget &target) {
  DevicePart result = part(source, source + target.architecture);
  result.target = target;
  return result;
}

} // namespace

TEST_CASE("parts fit together, or it is said why not") {
  const DevicePart a = part("a.cu", "1");
  DevicePart b = part("b.cu", "2");
  CHECK(linked({a, b}) == Targets{k90});
  CHECK(linked({a, b}, {k90}) == Targets{k90});
  CHECK(mismatch({a, b}, {k80}) ==
        "a.cu was compiled for sm_90, and -arch=sm_80 is given for the link: use the same for both");
  b.target = k80;
  CHECK(mismatch({a, b}) ==
        "a.cu was compiled for sm_90 and b.cu for sm_80: give both the same -arch to link them");
  b = part("b.cu", "2");
  b.version = "0.0.1, interface 0";
  CHECK(mismatch({a, b}).find(
            "the device code of b.cu was compiled by cupr++ 0.0.1, interface 0, and this is") == 0);
}

TEST_CASE("several architectures are linked each, or those that the link names") {
  const std::vector<DevicePart> parts{partFor("a.cu", k80), partFor("a.cu", k90), partFor("b.cu", k80),
                                      partFor("b.cu", k90)};
  CHECK(linked(parts) == Targets{k80, k90});
  CHECK(linked(parts, {k90}) == Targets{k90});
  CHECK(mismatch({parts[0], parts[1], parts[2]}) ==
        "a.cu was compiled for sm_80, sm_90 and b.cu for sm_80: give both the same -arch to link them");
}

TEST_CASE("one source compiled twice is two units") {
  DevicePart once = partFor("a.cu", k90), again = partFor("a.cu", k90);
  again.unit = "other";
  CHECK(linked({once, again}) == Targets{k90});
}

TEST_CASE("machines of all parts are built for") {
  const GpuTarget for86{"sm_80", {"sm_86"}, true};
  CHECK(linked({partFor("a.cu", k80), partFor("b.cu", for86)}) ==
        Targets{{"sm_80", {"sm_80", "sm_86"}, true}});
}

TEST_CASE("symbols of several architectures are one list") {
  CHECK(joinedSymbols({"strong f()\nwanted g()\n", "weak f()\nwanted g()\nwanted h()\n"}) ==
        "strong f()\nwanted g()\nwanted h()\n");
}

TEST_CASE("the program has the highest level of its parts") {
  DevicePart a = part("a.cu", ""), b = part("b.cu", "");
  const auto level = [&](const char *first, const char *second) {
    a.optimisation = first;
    b.optimisation = second;
    return programLevel({a, b});
  };
  CHECK(level("-O0", "-O0") == "-O0");
  CHECK(level("-O0", "-O1") == "-O1");
  CHECK(level("-Ofast", "-O2") == "-O3");
  CHECK(level("-Oz", "-Og") == "-Os");
}

TEST_CASE("each part has a line of its own among the linked ones") {
  const DevicePart a = part("a.cu", "1"), b = part("a.cu", "2");
  const std::string both = linkedParts({a, b});
  CHECK(both == linkedParts({a}) + linkedParts({b}));
  CHECK(linkedParts({a}) != linkedParts({b}));
}

TEST_CASE("symbols of a part") {
  const std::string text = devicePartAssembly(
      "/tmp/part", "strong f(int)\nweak S<int>::g()\nwanted ns::x\nstrong operator\"\" _m(int)\n");
  CHECK(text.find(".incbin \"/tmp/part\"") != std::string::npos);
  CHECK(text.find(".globl \"__device__ f(int)\"\n  .hidden \"__device__ f(int)\"\n\"__device__ f(int)\":") !=
        std::string::npos);
  CHECK(text.find(".weak \"__device__ S<int>::g()\"") != std::string::npos);
  CHECK(text.find(".quad \"__device__ ns::x\"") != std::string::npos);
  CHECK(text.find("\"__device__ ns::x\":") == std::string::npos);
  CHECK(text.find("\"__device__ operator'' _m(int)\"") != std::string::npos);
}
