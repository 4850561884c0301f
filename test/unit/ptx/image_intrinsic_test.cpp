/// LLVM's intrinsics for textures and surfaces, as PTX.
#include "devicelib/ptx/image_intrinsic.h"

#include "devicelib/ptx/instructions.h"

#include <catch2/catch.hpp>

using namespace cupr;
using namespace cupr::ptx;

namespace {

std::vector<std::string_view> partsOf(std::string_view name) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = name.find('.');
    parts.push_back(name.substr(0, end));
    if (end == std::string_view::npos)
      return parts;
    name.remove_prefix(end + 1);
  }
}

/// The instruction, its handles and its coordinates: `tex.1d.v4.f32.s32 1 1`; empty: it is none.
std::string spelt(std::string_view name) {
  const auto parts = partsOf(name);
  const auto found = imageIntrinsic(parts);
  if (!found)
    return "";
  std::string text;
  for (const std::string &word : found->words)
    text += (text.empty() ? "" : ".") + word;
  CHECK(imageOperation(found->words));
  return text + " " + std::to_string(found->handles) + " " + std::to_string(found->coordinates);
}

} // namespace

TEST_CASE("intrinsics for textures and surfaces are the instructions that they become") {
  CHECK(spelt("tex.unified.1d.v4f32.s32") == "tex.1d.v4.f32.s32 1 1");
  CHECK(spelt("tex.1d.array.v4s32.f32") == "tex.a1d.v4.s32.f32 2 2");
  CHECK(spelt("tex.unified.2d.array.level.v4u32.f32") == "tex.level.a2d.v4.u32.f32 1 3");
  CHECK(spelt("tex.3d.grad.v4f32.f32") == "tex.grad.3d.v4.f32.f32 2 3");
  CHECK(spelt("tex.unified.cube.array.v4f32.f32") == "tex.acube.v4.f32.f32 1 4");
  CHECK(spelt("tld4.unified.a.2d.v4s32.f32") == "tld4.a.2d.v4.s32.f32 1 2");
  CHECK(spelt("suld.1d.i8.clamp") == "suld.b.1d.b8.clamp 1 1");
  CHECK(spelt("suld.2d.array.v2i64.zero") == "suld.b.a2d.v2.b64.zero 1 3");
  CHECK(spelt("sust.b.3d.v4i32.trap") == "sust.b.3d.v4.b32.trap 1 3");
  CHECK(spelt("sust.p.1d.array.i16.trap") == "sust.p.a1d.b16.trap 1 2");
}

TEST_CASE("what is not known of textures and surfaces is none of these") {
  for (const char *name :
       {"mbarrier.init", "tex", "tex.unified", "tex.unified.4d.v4f32.f32", "tex.unified.1d.v4f32",
        "tex.unified.1d.v4f32.f32.ftz", "suld.1d..clamp", "txq.width", "suq.width"}) {
    INFO(name);
    CHECK(spelt(name) == "");
  }
}
