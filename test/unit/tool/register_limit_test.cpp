#include "cuprewrite/tool/register_limit.h"

#include <catch2/catch.hpp>

using namespace cupr::tool;

namespace {

std::string entry(const std::string &name, const std::string &directives = "") {
  return ".visible .entry " + name + "(\n\t.param .u64 " + name + "_param_0\n)" + directives +
         "\n{\n\tret;\n}\n";
}

std::vector<KernelFigures> figures(std::initializer_list<std::pair<const char *, unsigned>> registers) {
  std::vector<KernelFigures> kernels;
  for (const auto &[name, count] : registers) {
    kernels.emplace_back().name = name;
    kernels.back().registers = count;
  }
  return kernels;
}

} // namespace

TEST_CASE("a traced variant gets the limit that the plain kernel keeps") {
  const std::string ptx = entry("k") + entry("__cupr_traced_k");
  const auto limited = [&](unsigned plain, unsigned traced) {
    return limitRegisters(ptx, figures({{"k", plain}, {"__cupr_traced_k", traced}}));
  };
  CHECK(limited(40, 70) == entry("k") + entry("__cupr_traced_k", "\n.maxnreg 64"));
  CHECK(limited(100, 140) == entry("k") + entry("__cupr_traced_k", "\n.maxnreg 128"));
  CHECK(limited(40, 64).empty());
  CHECK(limited(65, 128).empty());
  CHECK(limited(200, 255).empty());
}

TEST_CASE("only the kernels that need a limit get one") {
  const std::string ptx = entry("__cupr_traced_a") + entry("__cupr_traced_b") + entry("__cupr_traced_ab");
  CHECK(limitRegisters(ptx, figures({{"a", 20},
                                     {"__cupr_traced_a", 60},
                                     {"b", 20},
                                     {"__cupr_traced_b", 80},
                                     {"ab", 20},
                                     {"__cupr_traced_ab", 90}})) ==
        entry("__cupr_traced_a") + entry("__cupr_traced_b", "\n.maxnreg 64") +
            entry("__cupr_traced_ab", "\n.maxnreg 64"));
}

TEST_CASE("launch bounds are a limit already") {
  for (const char *bound : {"\n.maxntid 256, 1, 1", "\n.reqntid 128, 1, 1", "\n.maxnreg 40"})
    CHECK(limitRegisters(entry("__cupr_traced_k", bound), figures({{"k", 20}, {"__cupr_traced_k", 80}}))
              .empty());
}

TEST_CASE("a kernel without a plain variant, or without PTX, is left alone") {
  CHECK(limitRegisters(entry("__cupr_traced_k"), figures({{"__cupr_traced_k", 80}})).empty());
  CHECK(limitRegisters("", figures({{"k", 20}, {"__cupr_traced_k", 80}})).empty());
}

TEST_CASE("a traced variant that waits for the whole grid keeps the plain one's occupancy") {
  const auto withBarrier = [](const std::string &kernel) {
    return ".visible .entry " + kernel + "(\n)\n.maxntid 512\n{\n\tmov.u32 %r1, %envreg2;\n\tret;\n}\n";
  };
  const auto limited = [&](const std::string &plain, unsigned traced) {
    return limitRegisters(plain + entry("__cupr_traced_k", "\n.maxntid 512"),
                          figures({{"k", 33}, {"__cupr_traced_k", traced}}));
  };
  CHECK(limited(withBarrier("k"), 41) ==
        withBarrier("k") + entry("__cupr_traced_k", "\n.maxnreg 40\n.maxntid 512"));
  CHECK(limited(withBarrier("k"), 40).empty());
  // That another kernel waits is nothing to it.
  CHECK(limited(entry("k") + withBarrier("kk"), 41).empty());
}

TEST_CASE("a timed variant gets the registers that keep the plain one's occupancy") {
  const std::string ptx = entry("k") + entry("__cupr_timed_k");
  const auto limited = [&](unsigned plain, unsigned timed) {
    return limitRegisters(ptx, figures({{"k", plain}, {"__cupr_timed_k", timed}}));
  };
  CHECK(limited(40, 86) == entry("k") + entry("__cupr_timed_k", "\n.maxnreg 40"));
  CHECK(limited(41, 86) == entry("k") + entry("__cupr_timed_k", "\n.maxnreg 48"));
  CHECK(limited(41, 48).empty());
  // 32 leave room for as many threads as there may be.
  CHECK(limited(8, 86) == entry("k") + entry("__cupr_timed_k", "\n.maxnreg 32"));
  CHECK(limited(254, 255).empty());
}

TEST_CASE("launch bounds don't keep a timed variant's occupancy") {
  CHECK(
      limitRegisters(entry("__cupr_timed_k", "\n.maxntid 256\n.minnctapersm 4"),
                     figures({{"k", 20}, {"__cupr_timed_k", 64}})) ==
      ".visible .entry __cupr_timed_k(\n\t.param .u64 __cupr_timed_k_param_0\n)\n.maxnreg 32\n.maxntid 256\n"
      ".minnctapersm 4\n{\n\tret;\n}\n");
  CHECK(limitRegisters(entry("__cupr_timed_k", "\n.maxnreg 64"), figures({{"k", 20}, {"__cupr_timed_k", 64}}))
            .empty());
}
