/// Which modules a trace gets, and which variables are announced with them.
#include "hostlib/runtime/session/module_registry.h"

#include "fake_device.h"
#include "unit/trace/small_trace.h"
#include "written_trace.h"

#include <algorithm>
#include <catch2/catch.hpp>

// As the program's objects call them (kernels/registration_calls.h), through the tracer.
extern "C" {
void **cupr_hook___cudaRegisterFatBinary(void *wrapper);
void cupr_hook___cudaRegisterFunction(void **handle, const char *hostFunction, char *deviceFunction,
                                      const char *deviceName, int threadLimit, void *, void *, void *, void *,
                                      int *);
void cupr_hook___cudaRegisterVar(void **handle, char *hostVariable, char *deviceAddress,
                                 const char *deviceName, int isExternal, std::size_t bytes, int isConstant,
                                 int isGlobal);
void cupr_hook___cudaRegisterManagedVar(void **handle, void **hostVariable, char *deviceAddress,
                                        const char *deviceName, int isExternal, std::size_t bytes,
                                        int isConstant, int isGlobal);
void cupr_hook___cudaUnregisterFatBinary(void **handle);
}

using namespace cupr;
using host::Kernel;
using host::ModuleRegistry;

namespace {

Kernel instrumented(std::vector<std::byte> siteTable) {
  Kernel kernel;
  kernel.instrumented = true;
  kernel.siteTable = std::make_shared<const std::vector<std::byte>>(std::move(siteTable));
  return kernel;
}

struct Registered {
  test::FakeDevice &device = test::newFakeDevice(host::DeviceKind::Cpu);
  test::WrittenTrace trace;
  host::EventLog events{*trace.writer, host::DeviceKind::Cpu, host::wallTime()};
  host::HostLog hostLog{*trace.writer, 0};
  ModuleRegistry modules{*trace.writer, events, hostLog};
};

} // namespace

TEST_CASE("a module is written with its first launch, once for all kernels and objects that hold its table") {
  Registered all;
  const auto table = test::smallTable().bytes();
  const Kernel first = instrumented(table), second = instrumented(table);
  const Kernel other = instrumented(test::SiteTableBlob{}.bytes());
  const int handle = 0;
  CHECK(all.modules.moduleFor(&handle, Kernel{}, 0) == trace::kNoModule);
  const trace::ModuleId module = all.modules.moduleFor(&handle, first, 0);
  CHECK(all.modules.moduleFor(&handle, first, 0) == module);
  CHECK(all.modules.moduleFor(&handle, second, 0) == module);
  CHECK(all.modules.moduleFor(&handle, first, 1) == module);
  CHECK(all.modules.moduleFor(&handle, other, 0) != module);
  const test::Told told = all.trace.read();
  REQUIRE(told.modules.size() == 2);
  CHECK(told.modules[0].sites.size() == 3);
}

TEST_CASE("a module's variables are announced with it, each device's at its own addresses") {
  Registered all;
  char kernelHandle = 0, table = 0, limits = 0, unknown = 0, name[] = "";
  char onDevice[256], elsewhere[64];
  void *managed = onDevice + 128;
  void **const image = cupr_hook___cudaRegisterFatBinary(nullptr);
  cupr_hook___cudaRegisterFunction(image, &kernelHandle, name, "_Z1kv", -1, nullptr, nullptr, nullptr,
                                   nullptr, nullptr);
  cupr_hook___cudaRegisterVar(image, &table, name, "table", 0, 64, 0, 0);
  cupr_hook___cudaRegisterVar(image, &limits, name, "limits", 0, 16, 1, 0);
  cupr_hook___cudaRegisterVar(image, &unknown, name, "unknown", 0, 16, 0, 0); // the device has it nowhere
  cupr_hook___cudaRegisterManagedVar(image, &managed, name, "shared", 0, 32, 0, 0);
  all.device.symbols = {{&table, onDevice}, {&limits, onDevice + 64}};
  const Kernel kernel = instrumented(test::smallTable().bytes());
  all.modules.moduleFor(&kernelHandle, kernel, 0);
  all.modules.moduleFor(&kernelHandle, kernel, 0);
  all.device.symbols[&table] = elsewhere;
  all.modules.moduleFor(&kernelHandle, kernel, 1);
  const test::Told told = all.trace.read();
  REQUIRE(told.allocations.size() == 4);
  const auto isAt = [&](std::size_t i, void *address, std::uint64_t bytes, const char *call) {
    const trace::Allocation &allocation = told.allocations[i];
    return allocation.address == reinterpret_cast<std::uint64_t>(address) && allocation.bytes == bytes &&
           allocation.call == call;
  };
  CHECK(isAt(0, onDevice, 64, "__device__"));
  CHECK(told.allocations[0].name == "table");
  CHECK(isAt(1, onDevice + 64, 16, "__constant__"));
  CHECK(isAt(2, managed, 32, "__managed__"));
  CHECK(told.allocations[2].kind == trace::MemoryKind::Managed);
  CHECK(isAt(3, elsewhere, 64, "__device__"));
  cupr_hook___cudaUnregisterFatBinary(image);
}

TEST_CASE("the loops around a module's sites are told once, as far as they are ones") {
  Registered all;
  char kernelHandle = 0;
  std::string text = "for 1:2-3:4\t/a b.cu\nfor 3:4-1:2\ta.cu\nnonsense\nentry 1:7-1:9\t/a b.cu\n";
  text.push_back('\0');
  all.device.moduleVariables = {{"__cupr_source_loops", {"", text.data(), text.size()}}};
  const Kernel kernel = instrumented(test::smallTable().bytes());
  all.modules.moduleFor(&kernelHandle, kernel, 0);
  all.modules.moduleFor(&kernelHandle, kernel, 1);
  const test::Told told = all.trace.read();
  const std::vector<trace::HostLoop> expected{{"/a b.cu", true, {abi::LoopKind::For, {1, 2}, {3, 4}}},
                                              {"/a b.cu", true, {abi::LoopKind::Entry, {1, 7}, {1, 9}}}};
  CHECK(told.host.loops == expected);
}

TEST_CASE("variables have the type and the place that their module says, and those that no object registers "
          "are announced, too") {
  Registered all;
  char kernelHandle = 0, table = 0, other = 0, name[] = "";
  char onDevice[256];
  void **const image = cupr_hook___cudaRegisterFatBinary(nullptr);
  cupr_hook___cudaRegisterFunction(image, &kernelHandle, name, "_Z1kv", -1, nullptr, nullptr, nullptr,
                                   nullptr, nullptr);
  cupr_hook___cudaRegisterVar(image, &table, name, "_ZN1a5tableE", 0, 64, 0, 0);
  cupr_hook___cudaRegisterVar(image, &other, name, "other", 0, 4, 0, 0);
  all.device.symbols = {{&table, onDevice}, {&other, onDevice + 64}};
  std::string text = "_ZN1a5tableE\t__device__\t7:28 8\ta::Cell\ttables.cu\n"
                     "held\t__constant__\t9:2 1\t\tinline.h\n"
                     "gone\t__device__\t1:1 4\tint\ta.cu\n"
                     "damaged\t__device__\tnothing\n";
  all.device.moduleVariables = {{"__cupr_declared_variables", {"", text.data(), text.size()}},
                                {"held", {"", onDevice + 128, 16}},
                                {"damaged", {"", onDevice + 192, 16}}};
  all.modules.moduleFor(&kernelHandle, instrumented(test::smallTable().bytes()), 0);
  const test::Told told = all.trace.read();
  cupr_hook___cudaUnregisterFatBinary(image);
  REQUIRE(told.allocations.size() == 3);
  const auto named = [&](const char *wanted) {
    const auto found = std::ranges::find(told.allocations, wanted, &trace::Allocation::name);
    REQUIRE(found != told.allocations.end());
    return *found;
  };
  const trace::Allocation cells = named("a::table"), unknown = named("other"), held = named("held");
  CHECK(cells.type == "a::Cell");
  CHECK(cells.file == "tables.cu");
  CHECK(cells.line == 7);
  CHECK(cells.column == 28);
  CHECK(unknown.type.empty());
  CHECK(unknown.line == 0);
  CHECK(held.call == "__constant__");
  CHECK(held.bytes == 16);
  CHECK(held.type.empty());
  CHECK(held.file == "inline.h");
}
