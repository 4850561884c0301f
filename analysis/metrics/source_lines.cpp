/// One pass over all records: figures per site first, names only at the end.
#include "source_lines.h"

#include "analysis/model/names.h"
#include "analysis/model/records.h"
#include "ranges.h"

#include <algorithm>

namespace cupr::analysis {

namespace {

constexpr unsigned kSectorShift = 5;

std::uint64_t sectorsOf(const WarpRanges &ranges) {
  std::uint64_t count = 0, next = 0; // sectors below `next` are counted
  for (const Range &range : ranges) {
    const std::uint64_t first = std::max(range.begin >> kSectorShift, next);
    const std::uint64_t end = ((range.end - 1) >> kSectorShift) + 1;
    count += end > first ? end - first : 0;
    next = std::max(next, end);
  }
  return count;
}

struct SiteVolume {
  trace::Counts counts;
  std::uint64_t requests = 0, sectors = 0;
};

} // namespace

std::vector<SourceFile> sourceLines(const Model &model) {
  std::vector<std::vector<SiteVolume>> volumes;
  for (const trace::Module &module : model.modules())
    volumes.emplace_back(module.sites.size());
  WarpRanges ranges;
  for (const LaunchInfo &launch : model.launches()) {
    RecordStream records(model, launch, RecordsOf::GlobalMemory);
    while (const Record *record = records.next()) {
      SiteVolume &volume = volumes[static_cast<std::size_t>(launch.launch.module)][record->access.site];
      volume.counts.add(abi::operationClass(record->site->operation),
                        abi::activeLanes(record->access.laneMask),
                        abi::recordBytes(record->access, record->site->bytes));
      ++volume.requests;
      ranges.set(*record);
      volume.sectors += sectorsOf(ranges);
    }
  }
  std::map<std::string, SourceFile> files;
  for (std::size_t m = 0; m < volumes.size(); ++m) {
    const trace::Module &module = model.modules()[m];
    for (std::size_t s = 0; s < volumes[m].size(); ++s) {
      const SiteVolume &volume = volumes[m][s];
      if (volume.requests == 0)
        continue;
      const trace::Site &site = module.sites[s];
      SourceFile &file = files[module.strings[site.file]];
      LineVolume &line = file.lines[site.line];
      line.counts += volume.counts;
      line.requests += volume.requests;
      line.sectors += volume.sectors;
      line.functions.insert(userName(module.strings[site.function]));
    }
    for (const trace::Source &source : module.sources)
      if (const auto found = files.find(module.strings[source.path]); found != files.end())
        if (found->second.text.empty())
          found->second.text = source.text().value_or("");
  }
  std::vector<SourceFile> result;
  for (auto &[path, file] : files) {
    file.path = path;
    for (const auto &[number, line] : file.lines)
      file.bytes += line.bytes();
    result.push_back(std::move(file));
  }
  std::sort(result.begin(), result.end(), [](const SourceFile &a, const SourceFile &b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.path < b.path;
  });
  return result;
}

} // namespace cupr::analysis
