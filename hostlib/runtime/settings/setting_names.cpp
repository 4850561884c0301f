#include "setting_names.h"

#include "devicelib/abi/setting.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <vector>

namespace cupr::host {
namespace {

/// Letters to insert, remove or replace.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

} // namespace

std::string_view nearestSetting(std::string_view name) {
  return std::ranges::min_element(
             abi::kSettings, {},
             [&](const abi::Setting &setting) { return distance(name, setting.variable); })
      ->variable;
}

std::string misspeltSettings(const char *const *environment) {
  constexpr std::string_view kPrefix = "CUPR_";
  constexpr std::size_t kLongest = 64; // it is the user's text
  std::string list;
  for (; environment && *environment; ++environment) {
    const std::string_view entry = *environment;
    const std::string_view name = entry.substr(0, entry.find('='));
    if (!name.starts_with(kPrefix) || name.size() > kLongest ||
        std::ranges::find(abi::kSettings, name, &abi::Setting::variable) != std::end(abi::kSettings))
      continue;
    list += (list.empty() ? "" : ", ") + std::string(name) + " (the nearest is " +
            std::string(nearestSetting(name)) + ")";
  }
  return list;
}

} // namespace cupr::host
