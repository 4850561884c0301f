/// Tables of what warps and threads accessed.
#ifndef CUPR_ANALYSIS_ACCESS_TABLES_H
#define CUPR_ANALYSIS_ACCESS_TABLES_H

#include "query_table.h"

namespace cupr::analysis {

/// A row per launch and site.
QueryTable siteTotalsTable();
/// A row per warp and access.
QueryTable recordsTable();
/// A row per thread and access.
QueryTable accessesTable();

} // namespace cupr::analysis

#endif
