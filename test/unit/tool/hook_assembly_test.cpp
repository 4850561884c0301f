#include "cuprewrite/tool/hook_assembly.h"
#include "devicelib/abi/hooks.h"

#include <catch2/catch.hpp>

using namespace cupr::tool;

namespace {

std::string module(unsigned kernels, const std::string &function) {
  std::string ptx = ".func " + function + "(\n\t.param .b64 p\n)\n{\n\tret;\n}\n";
  for (unsigned i = 0; i < kernels; ++i)
    for (const char *prefix : {"", "__cupr_traced_"})
      ptx += std::string(".visible .entry ") + prefix + "k" + std::to_string(i) + "()\n{\n\tret;\n}\n";
  return ptx;
}

const std::string kHook = cupr::abi::namesOf(cupr::abi::Hook::Access).twin;

} // namespace

TEST_CASE("only many kernels with called hooks are relocatable code") {
  CHECK_FALSE(isRelocatableForHooks(module(1, kHook)));
  CHECK_FALSE(isRelocatableForHooks(module(kKernelsAsWhole, kHook)));
  CHECK(isRelocatableForHooks(module(kKernelsAsWhole + 1, kHook)));
  CHECK_FALSE(isRelocatableForHooks(module(kKernelsAsWhole + 1, "users_own")));
  CHECK_FALSE(isRelocatableForHooks(""));
}

TEST_CASE("shared arrays are aligned for the widest access, and nothing else is") {
  CHECK(withAlignedSharedArrays("\t.shared .align 4 .b8 a[2048];\n.shared .align 8 .b8 b[16];\n") ==
        "\t.shared .align 16 .b8 a[2048];\n.shared .align 16 .b8 b[16];\n");
  CHECK(withAlignedSharedArrays(".extern .shared .align 4 .b8 dynamic[];") ==
        ".extern .shared .align 16 .b8 dynamic[];");
  for (const char *same : {"", "ret;", ".shared .align 4 .b8 few[12];", ".shared .align 4 .u32 flag;",
                           ".shared .align 32 .b8 wide[64];", ".global .align 4 .b8 elsewhere[64];",
                           ".shared .align 16 .b8 a[2048];"})
    CHECK(withAlignedSharedArrays(same) == same);
}
