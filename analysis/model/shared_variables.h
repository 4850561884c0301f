/// The shared variables of kernels: what lies where in a block's shared window.
///
/// Each launch of a kernel whose shared memory is traced says it with a record for each variable (abi::Operation::Variable), before
/// all other records of the thread that makes them. Where variables lie is decided when the program is linked, and the same for all launches of a kernel on one device.
#ifndef CUPR_ANALYSIS_SHARED_VARIABLES_H
#define CUPR_ANALYSIS_SHARED_VARIABLES_H

#include "model.h"
#include "records.h"

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace cupr::analysis {

struct SharedVariable {
  const trace::Site *site = nullptr; ///< never null
  std::uint64_t offset = 0;          ///< in the window
  std::string_view name;             ///< the module's, as is elementType
  std::string_view elementType; ///< of the innermost arrays: the program's, or LLVM's where that is not known
  /// Of the arrays, from the outermost one, whose length is 0 where the launch says it.
  std::vector<std::uint64_t> lengths;

  /// Its size; of a dynamic one that of all dynamic shared memory.
  std::uint64_t bytesIn(const LaunchInfo &launch) const;
  /// `float[32][33]`.
  std::string type() const;
  /// `tile[3][5]`, `tile[3][5]+0x2`: the place so many bytes behind its beginning.
  std::string at(std::uint64_t bytes) const;
};

/// Which the record is of. Valid as long as the module.
SharedVariable sharedVariableOf(const trace::Module &module, const Record &record);
/// The one of the launch's, which are sorted by offset, that holds the place; null: none.
const SharedVariable *holderOf(std::span<const SharedVariable> variables, const LaunchInfo &launch,
                               std::uint64_t offset);

/// Names of those that the lanes access, each once, by where they lie.
std::vector<std::string_view> namesOfAccessed(std::span<const SharedVariable> variables,
                                              const LaunchInfo &launch, const abi::WarpAccess &access);

class SharedVariables {
public:
  explicit SharedVariables(const Model &model) : model_(model) {}

  /// By offset; none where the launch made no accesses to shared memory that are recorded. Valid as long as this object.
  std::span<const SharedVariable> of(const LaunchInfo &launch);
  /// The variable that holds the place; null: none.
  const SharedVariable *find(const LaunchInfo &launch, std::uint64_t offset);

private:
  using Kernel = std::tuple<trace::ModuleId, std::string, std::uint32_t>; ///< module, mangled name, device
  std::vector<SharedVariable> read(const LaunchInfo &launch) const;

  const Model &model_;
  std::map<Kernel, std::vector<SharedVariable>> known_;
  std::set<trace::LaunchId> read_; ///< so that launches that say nothing are read once
  trace::LaunchId last_{};         ///< that was asked for, and what it has
  std::span<const SharedVariable> ofLast_;
};

} // namespace cupr::analysis

#endif
