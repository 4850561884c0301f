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
#include "source_loops.h"
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

  /// Makes room for so many sites, and returns the number of the first.
  std::uint32_t reserve(std::uint64_t count);
  /// Says what a reserved site is: the access in `space`. `frame`: the call of its function; kNoFrame: it is a kernel.
  void setAccess(std::uint32_t number, const TracedAccess &traced, abi::MemorySpace space,
                 std::uint32_t frame);
  /// Likewise: what is executed of one line. `follows`: whenever the site before is.
  void setExecution(std::uint32_t number, const ExecutedLine &line, bool follows, std::uint32_t frame);
  /// Likewise: where launches of the kernel say where a shared variable lies.
  void setVariable(std::uint32_t number, const llvm::GlobalVariable &variable, const llvm::Function &kernel);

  /// Adds the frame of a call, and the calls that it was inlined through. `outer`: the call of the function that it stands in, after inlining.
  std::uint32_t addCall(const llvm::CallBase &call, std::uint32_t outer);
  /// Adds the frame of a cycle of calls that was entered at `entry`, which `outer` called.
  std::uint32_t addRecursion(const llvm::Function &entry, std::uint32_t outer);
  /// Adds a frame of which nothing is known but what it stands for.
  std::uint32_t addPlaceless(abi::FrameKind kind);

  /// Adds the site at which blocks of a kernel that is derived say that they begin.
  std::uint32_t addBlock(const llvm::Function &kernel);
  /// Adds the kernel's slice and returns its number.
  std::uint32_t addSlice(const llvm::Function &kernel, std::uint32_t blockSite, Slice slice);
  /// The loops that hold places of sites and of the calls that led to them: a line each.
  std::string loops(const SourceLoops &loops) const;
  /// The blob. Reads the text of the source files that the sites name.
  std::string blob() const;

private:
  std::uint32_t string(llvm::StringRef text);
  std::uint32_t type(const llvm::Type &type);
  std::uint32_t file(const std::string &path);
  void setLocalVariable(abi::Site &site, const Access &access, std::uint32_t frame);
  /// Where the site's instruction stands, in a function that was called at `frame`.
  void setPlace(abi::Site &site, const llvm::Instruction &instruction, std::uint32_t frame);
  /// The call at `at`, which was inlined, and those that it was inlined through, below `outer`.
  std::uint32_t inlinedCalls(const llvm::DILocation *at, std::uint32_t outer);
  abi::Frame frameAt(const llvm::DILocation &at);
  std::uint32_t add(const abi::Frame &frame);

  const SourcePlaces &places_;
  SourceTypes &types_;
  const DeclaredVariables &variables_;
  std::vector<abi::Site> sites_;
  std::vector<abi::Frame> frames_;
  std::map<std::pair<const llvm::DILocation *, std::uint32_t>, std::uint32_t> inlinedNumbers_;
  std::string strings_;
  llvm::StringMap<std::uint32_t> stringOffsets_;
  std::vector<abi::SliceHeader> sliceHeaders_;
  std::vector<Slice> slices_;
  std::vector<std::string> paths_; ///< of the sources, in the order of first use
};

} // namespace cupr::pass

#endif
