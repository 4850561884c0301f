/// The function that the program has set to get its records (records.h).
#ifndef CUPR_RUNTIME_RECORDS_FUNCTION_H
#define CUPR_RUNTIME_RECORDS_FUNCTION_H

#include "hostlib/trace/writer.h"

#include <memory>

namespace cupr::host {

/// A writer that calls the function; null when none is set. None can be set from now on.
std::unique_ptr<trace::Writer> writerForProgram(const trace::Process &process,
                                                const trace::WriterOptions &options = {});

} // namespace cupr::host

#endif
