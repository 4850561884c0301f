/// How large an export will be.
#ifndef CUPR_ANALYSIS_EXPORT_SIZE_H
#define CUPR_ANALYSIS_EXPORT_SIZE_H

#include "exporter.h"

#include <cstdint>
#include <functional>
#include <memory>

namespace cupr::analysis {

using MakeExporter = std::function<std::unique_ptr<Exporter>(ByteSink &sink)>;

/// About so many bytes. Writes the first records to nowhere, compressed as they will be, and takes the others to be like them.
std::uint64_t exportBytes(const Model &model, const Selection &selection, const MakeExporter &make,
                          Compression compression);
/// The same of a database, which can't be written to nowhere: by the size that rows have there.
std::uint64_t databaseBytes(const Model &model, const Selection &selection);

} // namespace cupr::analysis

#endif
