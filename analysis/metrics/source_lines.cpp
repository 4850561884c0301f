/// Figures per site are there; names come only now.
#include "source_lines.h"

#include "analysis/model/names.h"

#include <algorithm>

namespace cupr::analysis {

namespace {

void add(AccessVolume &sum, const SiteVolume &volume) {
  sum.counts += volume.counts;
  sum.requests += volume.requests;
  sum.sectors += volume.sectors;
  sum.leastSectors += volume.leastSectors;
  sum.communicated += volume.communicated;
  sum.readCommunicated += volume.readCommunicated;
  for (const auto &[stride, bytes] : volume.strides)
    sum.strides[stride] += bytes;
  sum.functions.insert(userName(volume.module->strings[volume.site->function]));
}

} // namespace

std::vector<SourceFile> sourceLines(const Model &model, const Communication &communication) {
  std::map<std::string, SourceFile> files;
  for (const SiteVolume &volume : communication.sites) {
    if (volume.requests == 0)
      continue;
    SourceFile &file = files[volume.module->strings[volume.site->file]];
    LineVolume &line = file.lines[volume.site->line];
    add(line, volume);
    add(line.accesses[{volume.site->column, abi::operationClass(volume.site->operation)}], volume);
  }
  for (const trace::Module &module : model.modules())
    for (const trace::Source &source : module.sources)
      if (const auto found = files.find(module.strings[source.path]);
          found != files.end() && found->second.text.empty()) {
        // As JSON it may take six times as much again.
        const auto place = [&] { return "the text of '" + found->first + "'"; };
        model.limit().keep(std::uint64_t{8} * source.textBytes, place);
        model.limit().spend(source.steps(), place);
        found->second.text = source.text().value_or("");
      }
  std::vector<SourceFile> result;
  for (auto &[path, file] : files) {
    file.path = path;
    for (const auto &[number, line] : file.lines)
      file.bytes += line.counts.bytes();
    result.push_back(std::move(file));
  }
  std::sort(result.begin(), result.end(), [](const SourceFile &a, const SourceFile &b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.path < b.path;
  });
  return result;
}

} // namespace cupr::analysis
