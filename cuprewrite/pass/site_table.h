/// Collects the sites of a module and lays them out as the blob of
/// devicelib/abi/site_table.h.
#ifndef CUPR_PASS_SITE_TABLE_H
#define CUPR_PASS_SITE_TABLE_H

#include "access.h"
#include "column_map.h"
#include "devicelib/abi/site_table.h"
#include "devicelib/abi/version.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/DebugInfoMetadata.h"

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace cupr::pass {

class SiteTable {
public:
  /// `systemPrefixes`: folders whose code is not the user's: an access inlined from there is
  /// placed at the user's line that led to it.
  SiteTable(const ColumnMap &columns, std::vector<std::string> systemPrefixes);

  /// Adds a site and returns its number.
  std::uint32_t add(const Access &access, abi::SpaceVerdict verdict);
  std::size_t size() const { return sites_.size(); }
  /// The blob. Reads the text of the source files that the sites name.
  std::string blob() const;

private:
  std::uint32_t string(llvm::StringRef text);
  std::uint32_t file(const llvm::DILocation &at);
  std::uint32_t frame(const llvm::DILocation *at);
  bool isSystem(const llvm::DILocation &at) const;

  const ColumnMap &columns_;
  std::vector<std::string> systemPrefixes_;
  std::vector<abi::Site> sites_;
  std::vector<abi::Frame> frames_;
  std::map<const llvm::DILocation *, std::uint32_t> frameNumbers_;
  std::string strings_;
  llvm::StringMap<std::uint32_t> stringOffsets_;
  std::vector<std::string> paths_; ///< of the sources, in the order of first use
};

} // namespace cupr::pass

#endif
