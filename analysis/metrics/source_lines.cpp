/// Figures per site are there; names come only now.
#include "source_lines.h"

#include "analysis/model/names.h"

#include <algorithm>

namespace cupr::analysis {

std::vector<SourceFile> sourceLines(const Model &model, const Communication &communication) {
  std::map<std::string, SourceFile> files;
  for (const SiteVolume &volume : communication.sites) {
    if (volume.requests == 0)
      continue;
    SourceFile &file = files[volume.module->strings[volume.site->file]];
    LineVolume &line = file.lines[volume.site->line];
    line.counts += volume.counts;
    line.requests += volume.requests;
    line.sectors += volume.sectors;
    line.leastSectors += volume.leastSectors;
    line.communicated += volume.communicated;
    line.readCommunicated += volume.readCommunicated;
    for (const auto &[stride, bytes] : volume.strides)
      line.strides[stride] += bytes;
    line.functions.insert(userName(volume.module->strings[volume.site->function]));
  }
  for (const trace::Module &module : model.modules())
    for (const trace::Source &source : module.sources)
      if (const auto found = files.find(module.strings[source.path]);
          found != files.end() && found->second.text.empty())
        found->second.text = source.text().value_or("");
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
