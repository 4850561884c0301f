/// A trace of places that are no plain addresses: shared variables, textures and surfaces; and of values of C++ types.
#ifndef CUPR_TEST_PLACES_TRACE_H
#define CUPR_TEST_PLACES_TRACE_H

#include "trace_builder.h"

#include <bit>

namespace cupr::test {

/// A warp fetches from a texture by two floats, stores to a surface by a layer and a float, reads a structure with a gap, and stores it to one of
/// two shared variables.
inline void writePlacesTrace(const std::string &path) {
  SiteTableBlob blob;
  const auto site = [&](abi::Operation operation, std::uint32_t bytes, abi::SpaceVerdict space,
                        const char *type) {
    const std::uint32_t index = blob.site(operation, bytes, "p.cu", 7);
    blob.space(space, abi::kSiteValues);
    blob.type(type);
    return index;
  };
  const std::uint32_t fetch =
      site(abi::Operation::TextureFetch, 16, abi::SpaceVerdict::Texture, "<2 x float>");
  blob.name("tex.2d.v4.f32.f32", 0);
  const std::uint32_t surface =
      site(abi::Operation::SurfaceStore, 4, abi::SpaceVerdict::Texture, "{ i32, float }");
  blob.name("sust.b.a1d.b32.trap", 0);
  const std::uint32_t load = site(abi::Operation::Load, 8, abi::SpaceVerdict::Global, "i64");
  blob.sourceType("Pair", "{0 unsigned int a;4 short b}");
  const std::uint32_t store = site(abi::Operation::Store, 8, abi::SpaceVerdict::Shared, "i64");
  blob.sourceType("Pair", "{0 unsigned int a;4 short b}");
  const auto variable = [&](const char *name, const char *type, std::uint32_t bytes, std::uint16_t element) {
    const std::uint32_t index = blob.site(abi::Operation::Variable, bytes);
    blob.space(abi::SpaceVerdict::Shared);
    blob.type(type);
    blob.name(name, element);
    return index;
  };
  const std::uint32_t pairs = variable("pairs", "[4 x [8 x %struct.Pair]]", 256, 8),
                      rest = variable("rest", "[0 x float]", 0, 4);
  TraceBuilder trace(path);
  trace.table(blob);
  trace.allocate(0x10000, 0x1000);
  trace.allocate(0x900, 0x400, trace::MemoryKind::Array);
  trace.imageObject(trace::ImageKind::Texture, 2, trace::ImageResource::Linear, 0x10200);
  trace.imageObject(trace::ImageKind::Surface, 2, trace::ImageResource::Array, 0x900);
  trace.imageObject(trace::ImageKind::Surface, 3, trace::ImageResource::Array, 0x900);
  trace.withValues();
  trace.dynamicShared(64);
  constexpr std::uint32_t kAll = 0xffffffffu;
  const auto real = [](float number) { return std::uint64_t{std::bit_cast<std::uint32_t>(number)}; };
  Words words;
  words.strided(rest, 0, 0, 1280, 0, 1);
  words.strided(pairs, 0, 0, 1024, 0, 1);
  words.strided(fetch, 0, 0, 2, 0);
  words.values(8, kAll, [&](unsigned lane) { return real(.5f * static_cast<float>(lane)) | real(-1) << 32; });
  words.values(8, kAll, [](unsigned) { return std::uint64_t{0}; });
  words.strided(surface, 0, 0, 3, 0);
  words.values(8, kAll, [&](unsigned lane) { return std::uint64_t{lane % 3} | real(.25f) << 32; });
  words.values(8, kAll, [](unsigned) { return std::uint64_t{0}; });
  words.strided(load, 0, 0, 0x10000, 8);
  words.values(8, kAll,
               [](unsigned lane) { return 4294967295u - lane | std::uint64_t{0xffffu - lane} << 32; });
  words.strided(store, 0, 0, 1024, 8);
  words.values(8, kAll,
               [](unsigned lane) { return 4294967295u - lane | std::uint64_t{0xffffu - lane} << 32; });
  trace.run("places(Pair*)", {1, 1, 1}, {32, 1, 1}, words);
  trace.destroyImageObject(trace::ImageKind::Texture, 2);
  trace.writer->finish();
}

} // namespace cupr::test

#endif
