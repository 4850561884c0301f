#include "cuprewrite/commandline/gpu_targets.h"

#include <catch2/catch.hpp>

using cupr::commandline::GpuTarget;
using cupr::commandline::GpuTargetFlags;
using Targets = std::vector<GpuTarget>;

namespace {

Targets resolve(const GpuTargetFlags &flags) {
  std::string error;
  std::vector<std::string> notes;
  const Targets targets = flags.resolve(error, notes);
  CHECK(error == "");
  CHECK(notes.empty());
  return targets;
}

Targets ofArchitecture(const std::string &value) {
  GpuTargetFlags flags;
  CHECK(flags.addArchitecture(value) == "");
  return resolve(flags);
}

Targets ofSpecifications(const std::vector<std::string> &values) {
  GpuTargetFlags flags;
  for (const std::string &value : values)
    CHECK(flags.addSpecification(value) == "");
  return resolve(flags);
}

} // namespace

TEST_CASE("one architecture: machine code and PTX") {
  CHECK(ofArchitecture("sm_90") == Targets{{"sm_90", {"sm_90"}, true}});
  CHECK(ofArchitecture("sm_90a") == Targets{{"sm_90a", {"sm_90a"}, true}});
  CHECK(ofArchitecture("compute_80") == Targets{{"sm_80", {"sm_80"}, true}});
  CHECK(ofArchitecture("lto_80") == Targets{{"sm_80", {"sm_80"}, true}});
}

TEST_CASE("-code says what is made of -arch") {
  GpuTargetFlags flags;
  flags.addArchitecture("compute_80");
  CHECK(flags.addCode("sm_80,sm_86") == "");
  CHECK(resolve(flags) == Targets{{"sm_80", {"sm_80", "sm_86"}, false}});
}

TEST_CASE("-gencode: each architecture once, in rising order, PTX where it is named") {
  CHECK(ofSpecifications({"arch=compute_90,code=[sm_90,compute_90]", "arch=compute_80,code=sm_80"}) ==
        Targets{{"sm_80", {"sm_80"}, false}, {"sm_90", {"sm_90"}, true}});
  CHECK(ofSpecifications({"arch=compute_80,code=sm_80", "arch=compute_80,code=sm_86",
                          "arch=compute_80,code=compute_80"}) ==
        Targets{{"sm_80", {"sm_80", "sm_86"}, true}});
  CHECK(ofSpecifications({"arch=compute_80,code=\"sm_80,compute_80\""}) ==
        Targets{{"sm_80", {"sm_80"}, true}});
  // 100 is more than 90, though not as text.
  CHECK(
      ofSpecifications({"arch=compute_100,code=sm_100", "arch=compute_90,code=sm_90"}).front().architecture ==
      "sm_90");
}

TEST_CASE("PTX alone has machine code for its own architecture beside it") {
  CHECK(ofSpecifications({"arch=compute_90,code=compute_90"}) == Targets{{"sm_90", {"sm_90"}, true}});
}

TEST_CASE("all architectures") {
  const Targets all = ofArchitecture("all"), major = ofArchitecture("all-major");
  CHECK(all.size() == cupr::commandline::knownArchitectures().size());
  CHECK(major.size() < all.size());
  CHECK(major.front().architecture == "sm_75"); // the oldest, though not a major one
  for (const Targets &targets : {all, major})
    for (const GpuTarget &target : targets) {
      CHECK(target.machines == std::vector{target.architecture});
      CHECK(target.ptx == (target == targets.back()));
    }
}

TEST_CASE("clang's way to leave PTX out") {
  GpuTargetFlags flags;
  flags.addArchitecture("sm_80");
  flags.addArchitecture("sm_90");
  flags.leaveOutPtx("sm_80");
  CHECK(resolve(flags) == Targets{{"sm_80", {"sm_80"}, false}, {"sm_90", {"sm_90"}, true}});
  flags.leaveOutPtx("all");
  CHECK_FALSE(resolve(flags).back().ptx);
}

TEST_CASE("nothing is named") { CHECK(resolve({}).empty()); }

TEST_CASE("what is not an architecture is said") {
  GpuTargetFlags flags;
  CHECK(flags.addArchitecture("volta") ==
        "no GPU architecture that I know in 'volta'; expected sm_XX or compute_XX");
  CHECK(flags.addArchitecture("sm_60") ==
        "sm_60 is older than sm_75, the oldest that CUDA 13 builds for: name a newer one");
  CHECK(flags.addSpecification("code=sm_80") == "'code=sm_80': expected arch=compute_XX,code=sm_XX");
  CHECK(flags.addSpecification("arch=native,code=sm_80") != "");
  CHECK(flags.addCode("all") != "");
}

TEST_CASE("old machines can't run what is compiled for new ones") {
  GpuTargetFlags flags;
  flags.addSpecification("arch=compute_90,code=sm_80");
  std::string error;
  std::vector<std::string> notes;
  flags.resolve(error, notes);
  CHECK(error == "code for sm_80 can't be made of what is compiled for compute_90: it is the older one");
}
