#include "static_report.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>

namespace fs = std::filesystem;

namespace cupr::report {
namespace {

/// Rows of cells; all but the last column are padded to the widest.
template <std::size_t N> class Table {
public:
  void add(std::array<std::string, N> row) {
    for (std::size_t i = 0; i < N; ++i)
      widths_[i] = std::max(widths_[i], row[i].size());
    rows_.push_back(std::move(row));
  }
  std::string row(std::size_t index, std::size_t indent) const {
    std::string line(indent, ' ');
    for (std::size_t i = 0; i + 1 < N; ++i) {
      line += rows_[index][i];
      line.append(widths_[i] - rows_[index][i].size() + 2, ' ');
    }
    return line + rows_[index][N - 1] + "\n";
  }
  std::size_t size() const { return rows_.size(); }

private:
  std::vector<std::array<std::string, N>> rows_;
  std::array<std::size_t, N> widths_{};
};

std::vector<std::string> linesOf(const std::string &path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    lines.push_back(std::move(line));
  return lines;
}

/// As short as a person would write it: below the current folder, without it.
std::string shown(const std::string &path) {
  if (path.empty())
    return "(no line information: build with -gline-tables-only)";
  const std::string relative = fs::path(path).lexically_relative(fs::current_path()).string();
  return relative.empty() || relative.rfind("..", 0) == 0 ? path : relative;
}

std::string placeText(const Place &place) {
  return place.line == 0 ? "-" : std::to_string(place.line) + ":" + std::to_string(place.column);
}

std::string verdict(const AccessEntry &access) {
  return access.traced ? access.space : std::string("not traced");
}

std::string explanation(const AccessEntry &access) {
  if (access.reason.empty())
    return access.why;
  return access.why.empty() ? access.reason : access.reason + ": " + access.why;
}

/// `copy{0}`, or where copy was inlined `copy in kernel`.
std::string functionText(const AccessEntry &access) {
  return access.inlinedAt.empty() ? access.clone : access.function + " in " + access.clone;
}

void appendFile(std::string &text, const std::string &path,
                const std::vector<const AccessEntry *> &accesses) {
  Table<6> table;
  table.add({"place", "access", "bytes", "verdict", "function", "why"});
  for (const AccessEntry *access : accesses)
    table.add({placeText(access->place), access->operation.empty() ? "?" : access->operation,
               access->bytes ? std::to_string(access->bytes) : "?", verdict(*access), functionText(*access),
               explanation(*access)});
  text += "\n" + shown(path) + "\n" + table.row(0, 4);
  const std::vector<std::string> lines = linesOf(path);
  unsigned last = 0;
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const unsigned line = accesses[i]->place.line;
    if (line != last && line >= 1 && line <= lines.size()) {
      const std::string &source = lines[line - 1];
      const std::size_t start = std::min(source.find_first_not_of(" \t"), source.size());
      text += std::to_string(line) + " | " + source.substr(start) + "\n";
    }
    last = line;
    text += table.row(i + 1, 4);
  }
}

void appendFunctions(std::string &text, const StaticReport &report) {
  if (report.functions.empty())
    return;
  Table<3> table;
  table.add({"function", "place", "trace"});
  for (const FunctionEntry &function : report.functions)
    table.add(
        {function.clone,
         function.place.line ? shown(function.place.file) + ":" + std::to_string(function.place.line) : "-",
         function.traced ? function.handle : "none: " + function.handle});
  text += "\nKernels and functions\n";
  for (std::size_t i = 0; i < table.size(); ++i)
    text += table.row(i, 4);
}

std::string count(std::size_t number, const char *one, const char *many) {
  return std::to_string(number) + " " + (number == 1 ? one : many);
}

} // namespace

std::string toText(const StaticReport &report) {
  std::string text = "Memory accesses as the compiler sees them after optimisation\n";
  std::map<std::string, std::vector<const AccessEntry *>> files;
  for (const AccessEntry &access : report.accesses)
    files[access.place.file].push_back(&access);
  for (const auto &[path, accesses] : files)
    appendFile(text, path, accesses);
  appendFunctions(text, report);
  const Totals totals = totalsOf(report);
  text += "\nTotal: " + count(totals.accesses, "access", "accesses") + " in " +
          count(report.modules.size(), "module", "modules") + ": " + std::to_string(totals.provenGlobal) +
          " global, " + std::to_string(totals.decided) + " decided at run time, " +
          std::to_string(totals.otherSpace) + " not global, " + std::to_string(totals.notUnderstood) +
          " not understood; " + std::to_string(totals.notTraced) + " not traced\n";
  return text;
}

} // namespace cupr::report
