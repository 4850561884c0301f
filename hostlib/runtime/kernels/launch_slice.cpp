#include "launch_slice.h"

#include "devicelib/abi/site_table.h"

#include <cstring>

namespace cupr::host {

std::optional<LaunchSlice> launchSliceOf(std::span<const std::byte> siteTable, std::uint32_t slice) {
  const auto inTable = [&](std::uint64_t offset, std::uint64_t bytes) {
    return offset <= siteTable.size() && bytes <= siteTable.size() - offset;
  };
  abi::SiteTableHeader header;
  if (!inTable(0, sizeof header))
    return std::nullopt;
  std::memcpy(&header, siteTable.data(), sizeof header);
  abi::SliceHeader found;
  const std::uint64_t at = header.sliceOffset + std::uint64_t{slice} * sizeof found;
  if (slice >= header.sliceCount || !inTable(at, sizeof found))
    return std::nullopt;
  std::memcpy(&found, siteTable.data() + at, sizeof found);
  if (!inTable(found.offset, std::uint64_t{found.inputCount} * sizeof(abi::SliceInput)))
    return std::nullopt;
  LaunchSlice result{found.blockSite, {}, {}};
  for (std::uint32_t i = 0; i < found.inputCount; ++i) {
    abi::SliceInput input;
    std::memcpy(&input, siteTable.data() + found.offset + i * sizeof input, sizeof input);
    if (abi::isOfLaunch(static_cast<abi::SliceSource>(input.source)))
      result.inputs.push_back(input);
    else if (static_cast<abi::SliceSource>(input.source) == abi::SliceSource::Shared)
      result.placeSites.push_back(input.index);
  }
  return result;
}

std::optional<std::vector<std::uint64_t>> sliceValues(const std::vector<abi::SliceInput> &inputs,
                                                      void *const *arguments,
                                                      const std::vector<std::uint64_t> &variables) {
  std::vector<std::uint64_t> values;
  for (const abi::SliceInput &input : inputs) {
    std::uint64_t value = 0;
    if (static_cast<abi::SliceSource>(input.source) == abi::SliceSource::Parameter)
      std::memcpy(&value, static_cast<const char *>(arguments[input.index]) + input.offset, input.bytes);
    else if (input.index < variables.size())
      value = variables[input.index];
    else
      return std::nullopt;
    values.push_back(value);
  }
  return values;
}

} // namespace cupr::host
