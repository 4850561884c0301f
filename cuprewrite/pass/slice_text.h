/// A slice as text, a line for each instruction (`-cupr-print-slices`): for tests, and for who wants to know why an access
/// is derived.
#ifndef CUPR_PASS_SLICE_TEXT_H
#define CUPR_PASS_SLICE_TEXT_H

#include "slice_builder.h"

#include <string>

namespace cupr::pass {

std::string toText(const Slice &slice);

} // namespace cupr::pass

#endif
