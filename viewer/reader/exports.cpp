/// What the page's worker calls (viewer/src/reader/reader.ts). A call returns a number, or it fails: then it returns kFailed, and the
/// result is the reason. What else a call gives lies at resultAddress(), resultBytes() long, until the next call.
#include "analysis/import/import.h"
#include "trace_view.h"

#include <cstring>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#define CUPR_EXPORT(name) __attribute__((export_name(#name))) name

namespace cupr::viewer {

namespace {

constexpr std::uint32_t kFailed = UINT32_MAX;

/// Where what an export becomes is, under the export's name: a trace that only this program sees.
constexpr std::string_view kUnpacked = "unpacked/";

std::unique_ptr<analysis::Import> importing;
std::unique_ptr<TraceView> view;
std::unique_ptr<AddressDensity> density;
std::string result;
std::vector<std::uint8_t> given; ///< by the page, before a call
std::string givenText() { return {given.begin(), given.end()}; }

void setResult(std::span<const std::byte> bytes) {
  result.assign(reinterpret_cast<const char *>(bytes.data()), bytes.size());
}

template <typename Body> std::uint32_t guarded(Body body) {
  try {
    result.clear();
    return body();
  } catch (const std::exception &error) {
    result = error.what();
  }
  return kFailed;
}

} // namespace

extern "C" {

std::uintptr_t CUPR_EXPORT(resultAddress)() { return reinterpret_cast<std::uintptr_t>(result.data()); }
std::uint32_t CUPR_EXPORT(resultBytes)() { return static_cast<std::uint32_t>(result.size()); }
/// Where the page may put so many bytes for the next call.
std::uintptr_t CUPR_EXPORT(room)(std::uint32_t bytes) {
  given.resize(bytes);
  return reinterpret_cast<std::uintptr_t>(given.data());
}

/// The file whose name is in room(), which is no trace, but an export of one.
std::uint32_t CUPR_EXPORT(beginImport)() {
  return guarded([] {
    importing = std::make_unique<analysis::Import>(givenText(), std::string(kUnpacked) + givenText());
    return 0u;
  });
}

/// 1: there is more to import; 0: there is no more. Result: how many bytes of the file have been read.
std::uint32_t CUPR_EXPORT(continueImport)() {
  return guarded([] {
    const bool isMore = importing->step();
    const double read = static_cast<double>(importing->bytesRead());
    setResult(std::as_bytes(std::span(&read, 1)));
    return isMore ? 1u : 0u;
  });
}

/// The file whose name is in room(): a trace, or an export that has been imported. Result: JSON.
std::uint32_t CUPR_EXPORT(openTrace)() {
  return guarded([] {
    view = std::make_unique<TraceView>((importing ? std::string(kUnpacked) : std::string()) + givenText());
    result = view->json(importing.get());
    importing.reset();
    return 0u;
  });
}

/// 1: the result is the text; 0: the trace has not got it.
std::uint32_t CUPR_EXPORT(sourceText)(std::uint32_t module, std::uint32_t source) {
  return guarded([&] {
    const std::optional<std::string> text = view->sourceText(module, source);
    result = text.value_or("");
    return text ? 1u : 0u;
  });
}

/// The launch and what passes of it. -1 is any; sites: a byte each in room(), other than 0 where they pass; no bytes: all.
std::uint32_t CUPR_EXPORT(choose)(std::uint32_t launch, std::int32_t x, std::int32_t y, std::int32_t z,
                                  std::int32_t warp) {
  return guarded([&] {
    view->choose(launch);
    view->filter().choosePlace({x, y, z}, warp);
    view->filter().chooseSites(std::vector<bool>(given.begin(), given.end()));
    return 0u;
  });
}

std::uint32_t CUPR_EXPORT(countChunk)(std::uint32_t chunk) {
  return guarded([&] { return view->count(chunk); });
}

std::uint32_t CUPR_EXPORT(recordsOfChunk)(std::uint32_t chunk) {
  return guarded([&] { return view->records(chunk); });
}

/// Result: AccessRows, as many as the number that is returned.
std::uint32_t CUPR_EXPORT(rows)(std::uint32_t chunk, std::uint32_t first, std::uint32_t most) {
  return guarded([&] {
    const std::vector<AccessRow> found = view->rows(chunk, first, most);
    setResult(std::as_bytes(std::span(found)));
    return static_cast<std::uint32_t>(found.size());
  });
}

/// 1: the result is an AccessLanes and, behind it, its values as JSON; 0: there is no such access.
std::uint32_t CUPR_EXPORT(lanesAndValues)(std::uint32_t chunk, std::uint32_t index) {
  return guarded([&] {
    const std::optional<Access> found = view->access(chunk, index);
    if (found) {
      setResult(std::as_bytes(std::span(&found->lanes, 1)));
      result += found->values;
    }
    return found ? 1u : 0u;
  });
}

/// 1: the result is what the banks make of it, as JSON; 0: there is no such access. Words of 8 bytes, or else of 4.
std::uint32_t CUPR_EXPORT(banks)(std::uint32_t chunk, std::uint32_t index, std::uint32_t bytes) {
  return guarded([&] {
    using enum analysis::BankWidth;
    const std::optional<std::string> found = view->banks(chunk, index, bytes == 8 ? Eight : Four);
    result = found.value_or("");
    return found ? 1u : 0u;
  });
}

/// 1: the result is the first and the last address in this space that chunks have which were counted; 0: they have none.
std::uint32_t CUPR_EXPORT(addressBounds)(std::uint32_t space) {
  return guarded([&] {
    const analysis::Bounds bounds = view->addresses(static_cast<abi::MemorySpace>(space));
    setResult(std::as_bytes(std::span(&bounds, 1)));
    return bounds.least <= bounds.most ? 1u : 0u;
  });
}

std::uint32_t CUPR_EXPORT(beginDensity)(std::uint64_t firstAddress, std::uint64_t lastAddress,
                                        std::uint64_t firstRecord, std::uint64_t endRecord,
                                        std::uint32_t columns, std::uint32_t rows, std::uint32_t space) {
  return guarded([&] {
    density =
        std::make_unique<AddressDensity>(DensityBounds{firstAddress, lastAddress, firstRecord, endRecord,
                                                       columns, rows, static_cast<abi::MemorySpace>(space)});
    return 0u;
  });
}

/// `before`: the number of records in the launch's chunks before.
std::uint32_t CUPR_EXPORT(addChunkToDensity)(std::uint32_t chunk, std::uint64_t before) {
  return guarded([&] {
    view->addTo(*density, chunk, before);
    return 0u;
  });
}

/// Result: AddressDensity::cells.
std::uint32_t CUPR_EXPORT(densityCells)() {
  return guarded([] {
    setResult(std::as_bytes(std::span(density->cells())));
    return 0u;
  });
}
}

} // namespace cupr::viewer
