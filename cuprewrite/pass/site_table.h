/// Collects the sites of a module and lays them out as the blob of
/// devicelib/abi/site_table.h.
#ifndef CUPR_PASS_SITE_TABLE_H
#define CUPR_PASS_SITE_TABLE_H

#include "access.h"
#include "declared_variables.h"
#include "devicelib/abi/site_table.h"
#include "devicelib/abi/version.h"
#include "plan.h"
#include "slice_builder.h"
#include "source_place.h"
#include "source_types.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/DebugInfoMetadata.h"

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace cupr::pass {

class SiteTable {
public:
  SiteTable(const SourcePlaces &places, SourceTypes &types, const DeclaredVariables &variables);

  /// Adds a site for the access in `space` and returns its number.
  std::uint32_t add(const TracedAccess &traced, abi::MemorySpace space);
  /// Adds the site at which blocks of a kernel that is derived say that they begin.
  std::uint32_t addBlock(const llvm::Function &kernel);
  /// Adds the site at which launches of the kernel say where a shared variable lies.
  std::uint32_t addVariable(const llvm::GlobalVariable &variable, const llvm::Function &kernel);
  /// Adds the kernel's slice and returns its number.
  std::uint32_t addSlice(const llvm::Function &kernel, std::uint32_t blockSite, Slice slice);
  std::size_t size() const { return sites_.size(); }
  /// The blob. Reads the text of the source files that the sites name.
  std::string blob() const;

private:
  std::uint32_t string(llvm::StringRef text);
  std::uint32_t type(const llvm::Type &type);
  std::uint32_t file(const std::string &path);
  std::uint32_t frame(const llvm::DILocation *at);

  const SourcePlaces &places_;
  SourceTypes &types_;
  const DeclaredVariables &variables_;
  std::vector<abi::Site> sites_;
  std::vector<abi::Frame> frames_;
  std::map<const llvm::DILocation *, std::uint32_t> frameNumbers_;
  std::string strings_;
  llvm::StringMap<std::uint32_t> stringOffsets_;
  std::vector<abi::SliceHeader> sliceHeaders_;
  std::vector<Slice> slices_;
  std::vector<std::string> paths_; ///< of the sources, in the order of first use
};

} // namespace cupr::pass

#endif
