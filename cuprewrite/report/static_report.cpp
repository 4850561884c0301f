#include "static_report.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>

namespace cupr::report {
namespace {

/// What is in both lists counts once, what one list has twice counts twice.
template <typename T> std::vector<T> united(std::vector<T> a, std::vector<T> b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  std::vector<T> result;
  std::set_union(std::make_move_iterator(a.begin()), std::make_move_iterator(a.end()),
                 std::make_move_iterator(b.begin()), std::make_move_iterator(b.end()),
                 std::back_inserter(result));
  return result;
}

} // namespace

void StaticReport::add(StaticReport other) {
  modules.insert(modules.end(), other.modules.begin(), other.modules.end());
  accesses = united(std::move(accesses), std::move(other.accesses));
  functions = united(std::move(functions), std::move(other.functions));
}

Totals totalsOf(const StaticReport &report) {
  Totals totals;
  totals.accesses = report.accesses.size();
  for (const AccessEntry &access : report.accesses) {
    totals.notTraced += !access.traced;
    if (access.operation.empty())
      ++totals.notUnderstood;
    else if (access.space == kGlobal)
      ++totals.provenGlobal;
    else if (access.space == kDecided)
      ++totals.decided;
    else
      ++totals.otherSpace;
  }
  return totals;
}

std::string write(const StaticReport &report, const std::string &path) {
  const std::string suffix = ".json";
  const bool json =
      path.size() >= suffix.size() && path.compare(path.size() - suffix.size(), suffix.size(), suffix) == 0;
  const std::string text = json ? toJson(report) : toText(report);
  if (path == "-") {
    std::fwrite(text.data(), 1, text.size(), stdout);
    return std::fflush(stdout) ? "standard output can't be written" : "";
  }
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  return file ? "" : "'" + path + "' can't be written";
}

} // namespace cupr::report
