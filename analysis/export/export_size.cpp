#include "export_size.h"

#include <algorithm>
#include <cstdio>

namespace cupr::analysis {

namespace {

constexpr std::uint64_t kSample = 4096; ///< records
/// Of a thread's access in a database, indices counted.
constexpr std::uint64_t kBytesPerRow = 58;

/// Where all bytes go.
class CountingSink final : public ByteSink {
public:
  explicit CountingSink(std::uint64_t &bytes) : bytes_(bytes) {}
  void write(std::string_view bytes) override { bytes_ += bytes.size(); }
  void finish() override {}

private:
  std::uint64_t &bytes_;
};

std::uint64_t bytesOf(const Model &model, const Selection &selection, const MakeExporter &make,
                      Compression compression) {
  std::uint64_t bytes = 0;
  const auto sink = compressed(std::make_unique<CountingSink>(bytes), compression);
  Progress silent("", stderr, false);
  exportTrace(model, selection, *make(*sink), silent);
  return bytes;
}

/// Of the selected launches, whatever the limit, and whatever the file. A block is taken to be like the others of its grid.
struct Amount {
  std::uint64_t records = 0, accesses = 0;
};
Amount amountOf(const Model &model, const Selection &selection) {
  const LaunchFilter filter(selection.launches, model);
  Amount all;
  for (const LaunchInfo &launch : model.launches())
    if (filter.has(launch)) {
      const trace::Dim3 &grid = launch.launch.grid;
      const std::uint64_t part = selection.records.block.empty()
                                     ? 1
                                     : std::max<std::uint64_t>(1, std::uint64_t{grid.x} * grid.y * grid.z);
      all.records += launch.totals.records / part;
      all.accesses += launch.totals.counts.accesses() / part;
    }
  return all;
}

/// `part` of `whole`, of `amount`.
std::uint64_t share(std::uint64_t amount, std::uint64_t part, std::uint64_t whole) {
  return static_cast<std::uint64_t>(static_cast<double>(amount) * static_cast<double>(part) /
                                    static_cast<double>(std::max<std::uint64_t>(whole, 1)));
}

} // namespace

std::uint64_t exportBytes(const Model &model, const Selection &selection, const MakeExporter &make,
                          Compression compression) {
  const std::uint64_t records = std::min(amountOf(model, selection).records, selection.limit);
  Selection sample = selection;
  sample.records = {}; // to find some records may take as long as the export
  sample.limit = std::min(records, kSample);
  const std::uint64_t ofSample = bytesOf(model, sample, make, compression);
  if (records <= kSample)
    return ofSample;
  sample.limit = 0;
  const std::uint64_t others = bytesOf(model, sample, make, compression); // what is no record
  return others + share(ofSample - std::min(ofSample, others), records, kSample);
}

std::uint64_t databaseBytes(const Model &model, const Selection &selection) {
  const Amount all = amountOf(model, selection);
  return kBytesPerRow * share(all.accesses, std::min(all.records, selection.limit), all.records);
}

} // namespace cupr::analysis
