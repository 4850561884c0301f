/// What an export consists of: rows of a few kinds, each with its columns. This is the one definition of all
/// formats: JSON's objects, CSV's and SQLite's tables, protobuf's messages, and their schemas are made from
/// it.
///
/// Rules for changes: a column's place is its field number in protobuf, so columns are only added at the end
/// of their kind, kinds at the end of kRowKinds, and nothing is renamed.
///
/// What warps accessed is there in three shapes; a format takes the one that fits it:
/// - record: one row per warp and access, with lists of lanes and addresses (JSON, protobuf);
/// - access: one row per thread and access, which names its launch and site by number (SQLite);
/// - wide_access: one row per thread and access, with all that is known of it (CSV; SQLite's view).
#ifndef CUPR_ANALYSIS_ROW_KINDS_H
#define CUPR_ANALYSIS_ROW_KINDS_H

#include "analysis/tables/column.h"

#include <cstddef>
#include <cstdint>

namespace cupr::analysis {

/// Indices in kRowKinds, and so field numbers in protobuf's Row, less one.
enum class RowKindId : std::size_t {
  Header,
  Frame,
  Site,
  Launch,
  Record,
  LaunchEnd,
  Count,
  Allocation,
  Copy,
  Set,
  Synchronisation,
  End,
  Access,
  WideAccess,
  ImageObject,
  HostCall,
  HostSample,
  HostFrame,
  Loop,
};
inline constexpr std::size_t kRowKindCount = 19;

/// By RowKindId.
extern const RowKind kRowKinds[kRowKindCount];
inline const RowKind &rowKind(RowKindId id) { return kRowKinds[static_cast<std::size_t>(id)]; }

/// Whether rows of this kind are records or accesses, of which a format takes one shape.
inline bool isShapeOfAccesses(RowKindId id) {
  return id == RowKindId::Record || id == RowKindId::Access || id == RowKindId::WideAccess;
}

/// Version of all this; grows when a reader of the version before would misunderstand an export.
inline constexpr std::uint64_t kExportVersion = 1;

} // namespace cupr::analysis

#endif
