/// Figures per site are there; names come only now.
#include "source_lines.h"

#include "analysis/model/names.h"
#include "analysis/model/record_selection.h"

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

/// Within the model's limit; empty: the trace has not got it.
std::string textOf(const Model &model, const trace::Source &source, const std::string &path) {
  // As JSON it may take six times as much again.
  const auto place = [&] { return "the text of '" + path + "'"; };
  model.limit().keep(std::uint64_t{8} * source.textBytes, place);
  model.limit().spend(source.steps(), place);
  return source.text().value_or("");
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
          found != files.end() && found->second.text.empty())
        found->second.text = textOf(model, source, found->first);
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

void addTexts(const Model &model, const std::set<std::string> &names, std::vector<SourceFile> &files) {
  std::map<std::string, std::string> texts;
  for (const trace::Module &module : model.modules())
    for (const trace::Source &source : module.sources) {
      const std::string &path = module.strings[source.path];
      const auto isNamed = [&](const std::string &name) { return isEndOfPath(path, name); };
      const auto isThere = [&](const SourceFile &file) { return file.path == path; };
      if (texts[path].empty() && std::ranges::any_of(names, isNamed) && std::ranges::none_of(files, isThere))
        texts[path] = textOf(model, source, path);
    }
  for (auto &[path, text] : texts)
    if (!text.empty())
      files.push_back({.path = path, .text = std::move(text), .lines = {}});
}

} // namespace cupr::analysis
