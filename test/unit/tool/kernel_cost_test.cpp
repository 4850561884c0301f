#include "cuprewrite/tool/kernel_cost.h"
#include "cuprewrite/tool/occupancy.h"

#include <catch2/catch.hpp>

using namespace cupr::tool;

namespace {

// As ptxas 13.0 prints it: the properties of functions that an entry calls come behind its own, or before.
constexpr const char *kAssembled = R"(ptxas info    : 728 bytes gmem
ptxas info    : Function properties for _Z5firstv
    96 bytes stack frame, 92 bytes spill stores, 92 bytes spill loads
ptxas info    : Compiling entry function '_Z1kPf' for 'sm_90'
ptxas info    : Function properties for _Z1kPf
    16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 23 registers, used 1 barriers, 16 bytes cumulative stack size, 2056 bytes smem
ptxas info    : Compile time = 70.380 ms
ptxas info    : Function properties for _Z6helperv
    40 bytes stack frame, 44 bytes spill stores, 48 bytes spill loads
ptxas warning : Value of threads per SM is out of range
ptxas info    : Compiling entry function '__cupr_traced__Z1kPf' for 'sm_90'
ptxas info    : Function properties for __cupr_traced__Z1kPf
    0 bytes stack frame, 20 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 62 registers, used 0 barriers, 2056 bytes smem
ptxas info    : Compiling entry function '_Z5alonev' for 'sm_90'
ptxas info    : Function properties for _Z5alonev
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, used 0 barriers
)";

constexpr const char *kPtx = R"(
.visible .entry _Z1kPf(
	.param .u64 _Z1kPf_param_0
)
.maxntid 32, 8, 2
{
	ret;
}
.visible .entry _Z5alonev()
{
	.maxntid 7
}
)";

constexpr const char *kLinked = R"(nvlink info    : 24360 bytes gmem
nvlink info    : Function properties for '__cupr_traced__Z1kPf':
nvlink info    : used 108 registers, used 1 barriers, 48 stack, 3080 bytes smem, 616 bytes cmem[0], 0 bytes lmem
)";

KernelFigures with(unsigned registers, unsigned shared) {
  KernelFigures figures;
  figures.registers = registers;
  figures.shared = shared;
  return figures;
}

} // namespace

TEST_CASE("the assembler's figures belong to the kernel that they stand behind") {
  const std::vector<KernelFigures> kernels = figuresOf(kAssembled, kPtx);
  REQUIRE(kernels.size() == 3);
  CHECK(kernels[0].name == "_Z1kPf");
  CHECK(kernels[0].registers == 23);
  CHECK(kernels[0].stack == 16);
  CHECK(kernels[0].spillStores == 8);
  CHECK(kernels[0].spillLoads == 12);
  CHECK(kernels[0].shared == 2056);
  CHECK(kernels[0].blockSize == 512);
  CHECK(kernels[1].registers == 62);
  CHECK(kernels[1].spillStores == 20);
  CHECK(kernels[1].blockSize == 0);
  CHECK(kernels[2].shared == 0);
  CHECK(kernels[2].blockSize == 0); // what stands in the body is no launch bound
}

TEST_CASE("after linking the linker's figures hold, without the system's shared memory") {
  std::vector<KernelFigures> kernels = figuresOf(kAssembled, kPtx);
  takeLinked(kernels, kLinked, 1024);
  CHECK(kernels[0].registers == 23);
  CHECK(kernels[1].registers == 108);
  CHECK(kernels[1].stack == 48);
  CHECK(kernels[1].shared == 2056);
  CHECK(kernels[1].spillStores == 20);
}

TEST_CASE("only warnings are left for the user") {
  CHECK(withoutFigures(kAssembled) == "ptxas warning : Value of threads per SM is out of range\n");
}

TEST_CASE("a plain kernel and its traced variant make a row") {
  const std::vector<KernelCost> costs = pairKernels("a.cu", "sm_90", figuresOf(kAssembled, kPtx));
  REQUIRE(costs.size() == 1);
  CHECK(costs[0].name == "k(float*)");
  CHECK(costs[0].blockSize == 512);
  CHECK(costs[0].addsSpills());
  CHECK(costTable(costs).find("23 -> 62") != std::string::npos);
  CHECK(costTable(costs).find("100 % -> 50 %") != std::string::npos);
  CHECK(costTable(costs).find("1 with more spills when traced") != std::string::npos);
  CHECK(costJson(costs).find("\"occupancy\": 0.5") != std::string::npos);
}

TEST_CASE("occupancy is the calculator's") {
  // Registers are given out per warp in units of 256: 64 a thread let 1,024 threads of 65,536 registers in.
  CHECK(occupancy("sm_90", with(64, 0), 256) == 0.5);
  CHECK(occupancy("sm_90", with(32, 0), 256) == 1.0);
  CHECK(occupancy("sm_90", with(33, 0), 256) == 0.75);       // 40: 6 blocks of 8 warps
  CHECK(occupancy("sm_75", with(64, 0), 256) == 1.0);        // a Turing multiprocessor holds 1,024 threads
  CHECK(occupancy("sm_90", with(32, 0), 32) == 0.5);         // 32 resident blocks at most
  CHECK(occupancy("sm_90", with(32, 48 << 10), 256) == 0.5); // 4 blocks of 49 KiB in 228
  CHECK(occupancy("sm_90", with(255, 0), 1024) == 0.0);
  CHECK(!occupancy("sm_199", with(32, 0), 256));
  CHECK(!occupancy("gfx90a", with(32, 0), 256));
  for (const char *const known : {"sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_90a", "sm_100",
                                  "sm_103", "sm_110", "sm_120", "sm_121"})
    CHECK(occupancy(known, with(32, 0), 256) == 1.0);
}

TEST_CASE("a timed variant is compared with the plain kernel beside the traced one") {
  std::vector<KernelFigures> kernels;
  for (const auto &[name, registers] :
       {std::pair{"k", 20u}, {"__cupr_traced_k", 40u}, {"__cupr_timed_k", 24u}}) {
    kernels.push_back(with(registers, 0));
    kernels.back().name = name;
  }
  const std::vector<KernelCost> costs = pairKernels("a.cu", "sm_90", kernels);
  REQUIRE(costs.size() == 2);
  CHECK((!costs[0].timed && costs[0].traced.registers == 40));
  CHECK((costs[1].timed && !costs[1].derived && costs[1].traced.registers == 24));
  CHECK(costTable(costs).find("k (timed)") != std::string::npos);
}
