#include "mirror.h"

#include "copy.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <unistd.h>

namespace cupr::rewrite {

namespace fs = std::filesystem;

static bool isBelow(const fs::path &path, const fs::path &folder) {
  const fs::path relative = path.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

fs::path defaultRoot(const std::vector<fs::path> &inputs) {
  std::error_code error;
  const fs::path current = fs::current_path();
  std::optional<fs::path> common;
  for (const fs::path &input : inputs) {
    fs::path folder = fs::weakly_canonical(input, error).parent_path();
    if (!common)
      common = folder;
    while (!isBelow(folder, *common))
      common = common->parent_path();
  }
  return !common || isBelow(*common, current) ? current : *common;
}

/// Whether the header was found from the folder of its includer.
static bool isBeside(const Facts &facts, const Inclusion &inclusion) {
  std::error_code error;
  return fs::weakly_canonical(inclusion.searchPath, error) ==
         fs::path(facts.file(inclusion.includer).path).parent_path();
}

/// The files that include `file` at a place where declarations can stand, through
/// others that don't if need be.
static std::set<FileId> hostsOf(const Facts &facts, FileId file) {
  std::set<FileId> hosts, seen{file};
  std::vector<FileId> open{file};
  while (!open.empty()) {
    const FileId included = open.back();
    open.pop_back();
    for (const Inclusion &inclusion : facts.inclusions) {
      if (inclusion.included != included || !seen.insert(inclusion.includer).second)
        continue;
      if (facts.file(inclusion.includer).nested)
        open.push_back(inclusion.includer);
      else
        hosts.insert(inclusion.includer);
    }
  }
  return hosts;
}

std::vector<Copy> makeCopies(const Facts &facts, const EditPlan &plan, const fs::path &root,
                             const fs::path &outputFolder) {
  std::set<FileId> copied;
  for (std::size_t i = 0; i < facts.files.size(); ++i)
    if (facts.files[i].input || !plan.edits(FileId(i)).empty())
      copied.insert(FileId(i));
  for (bool changed = true; changed;) {
    changed = false;
    for (const Inclusion &inclusion : facts.inclusions) {
      if (copied.contains(inclusion.included))
        changed |= copied.insert(inclusion.includer).second;
      else if (copied.contains(inclusion.includer) && isBeside(facts, inclusion))
        changed |= copied.insert(inclusion.included).second;
    }
  }
  std::map<FileId, std::vector<Hosted>> hosted;
  for (FileId id : copied)
    if (facts.file(id).nested && !plan.edits(id).empty())
      for (FileId host : hostsOf(facts, id))
        hosted[host].push_back({&facts.file(id), plan.edits(id)});
  std::vector<Copy> copies;
  for (FileId id : copied) {
    const File &file = facts.file(id);
    copies.push_back({id, outputFolder / fs::path(file.path).lexically_relative(root),
                      copyText(file, plan.edits(id), hosted[id])});
  }
  return copies;
}

std::vector<std::string> includeFlags(const Facts &facts, const std::vector<Copy> &copies,
                                      const fs::path &root, const fs::path &outputFolder,
                                      const std::vector<std::string> &includeFolders) {
  std::vector<std::string> flags;
  std::error_code error;
  std::set<fs::path> mirrored;
  for (const Copy &copy : copies)
    for (fs::path folder = fs::path(facts.file(copy.file).path).parent_path(); isBelow(folder, root);
         folder = folder.parent_path()) {
      mirrored.insert(folder);
      if (folder == root)
        break;
    }
  std::set<std::string> told;
  for (const std::string &folder : includeFolders) {
    const fs::path real = fs::weakly_canonical(folder, error);
    if (!mirrored.contains(real))
      continue;
    const std::string flag =
        "-I" + (outputFolder / real.lexically_relative(root)).lexically_normal().string();
    if (told.insert(flag).second)
      flags.push_back(flag);
  }
  return flags;
}

static std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    out += c;
  }
  return out + '"';
}

std::string vfsOverlay(const Facts &facts, const std::vector<Copy> &copies) {
  std::string out = "{ \"version\": 0, \"case-sensitive\": \"true\", \"use-external-names\": \"false\",\n"
                    "  \"roots\": [";
  const char *separator = "\n";
  for (const Copy &copy : copies) {
    const File &file = facts.file(copy.file);
    std::set<std::string> names{file.path, file.located};
    for (const std::string &name : names) {
      out += fmt::format("{}    {{ \"type\": \"file\", \"name\": {}, \"external-contents\": {} }}", separator,
                         quoted(name), quoted(fs::absolute(copy.path).lexically_normal().string()));
      separator = ",\n";
    }
  }
  return out + "\n  ]\n}\n";
}

bool write(const std::vector<Copy> &copies, Diagnostics &diagnostics) {
  std::vector<fs::path> written;
  const auto fail = [&](const fs::path &path, const std::string &why) {
    diagnostics.report(
        Severity::Error, std::nullopt,
        fmt::format("can't write '{}': {}; choose another folder with -o", path.string(), why));
    std::error_code ignored;
    for (const fs::path &temporary : written)
      fs::remove(temporary, ignored);
    return false;
  };
  const auto temporaryOf = [](const fs::path &path) {
    fs::path temporary = path;
    temporary += fmt::format(".{}.part", getpid());
    return temporary;
  };
  for (const Copy &copy : copies) {
    std::error_code error;
    if (copy.path.has_parent_path())
      fs::create_directories(copy.path.parent_path(), error);
    if (error)
      return fail(copy.path, error.message());
    const fs::path temporary = temporaryOf(copy.path);
    written.push_back(temporary);
    errno = 0;
    std::ofstream stream(temporary, std::ios::binary);
    stream << copy.text;
    stream.close();
    if (!stream)
      return fail(copy.path, errno ? std::strerror(errno) : "unknown error");
  }
  for (const Copy &copy : copies) {
    std::error_code error;
    fs::rename(temporaryOf(copy.path), copy.path, error);
    if (error)
      return fail(copy.path, error.message());
  }
  return true;
}

} // namespace cupr::rewrite
