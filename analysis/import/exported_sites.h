/// The modules of a trace, of an export's sites and calls.
#ifndef CUPR_ANALYSIS_EXPORTED_SITES_H
#define CUPR_ANALYSIS_EXPORTED_SITES_H

#include "hostlib/trace/module.h"
#include "row_reader.h"

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace cupr::analysis {

/// Where a site of an export is in the trace.
struct SitePlace {
  std::uint32_t module = 0;
  std::uint32_t site = 0;
};

/// Modules are numbered in the order of their sites. Source texts and slices are not in an export.
class ExportedSites {
public:
  /// Rows of this kind. Throw BrokenExport.
  void addFrame(const Row &row);
  void addSite(const Row &row);
  /// All modules, which keep the rules of module.h but for what brokenModuleRule tells. Once, when all rows are there.
  std::vector<trace::Module> modules();
  /// Null: there is no such site.
  const SitePlace *find(std::uint64_t id) const;

private:
  struct Call {
    trace::Frame frame; ///< strings in strings_
    std::optional<std::uint64_t> parent;
    std::optional<std::uint32_t> module; ///< that has it, once one has
  };
  struct Place {
    trace::Site site; ///< strings in strings_
    std::optional<std::uint64_t> frame;
    std::uint32_t module = 0;
  };
  class Making;
  std::uint32_t string(std::string_view text);
  void takePlace(auto &cells, auto &to);

  std::unordered_map<std::uint64_t, Call> calls_; ///< by id
  std::vector<Place> sites_;
  std::unordered_map<std::uint64_t, SitePlace> places_; ///< by id
  std::unordered_map<std::uint64_t, std::uint32_t> moduleNumbers_;
  std::vector<std::string> strings_{""};
  std::unordered_map<std::string, std::uint32_t> stringNumbers_{{"", 0}};
  std::vector<std::uint32_t> sitesOfModules_;
};

} // namespace cupr::analysis

#endif
