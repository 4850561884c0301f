/// trace.capnp as C++. Cap'n Proto 0.9 leaves the comparisons of a C string with a
/// kj::StringPtr to C++20's reversed candidates, which the current rules forbid beside its
/// own `operator!=`; they are added here, before the headers that use them.
#ifndef CUPR_TRACE_SCHEMA_H
#define CUPR_TRACE_SCHEMA_H

#include <kj/string.h>

namespace kj {
#if __cpp_impl_three_way_comparison
inline bool operator==(const char *a, const StringPtr &b) { return b.operator==(a); }
inline bool operator!=(const char *a, const StringPtr &b) { return !b.operator==(a); }
#endif
} // namespace kj

#include "hostlib/trace/trace.capnp.h"

#include <capnp/message.h>
#include <capnp/serialize.h>

#endif
