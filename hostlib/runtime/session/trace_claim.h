/// Which file this process's trace goes to, when several processes are told the same.
///
/// A program may consist of several processes: it forks, a script starts it again and again, it executes
/// itself anew. All read the same CUPR_TRACE. Two that wrote to one file would destroy both traces, and one
/// that comes later would wipe out what an earlier one of the same run has left. So a process that finds
/// the file
///
/// - being written by another process (which holds a lock on it while it lives),
/// - listed in CUPR_TRACE_LIST, hence made in this run (`cupr-run` sets it), or
/// - there already, although the runtime itself made the name up,
///
/// takes the same name with its own number, and a counter if need be. A file that an earlier run has left is
/// replaced.
#ifndef CUPR_RUNTIME_TRACE_CLAIM_H
#define CUPR_RUNTIME_TRACE_CLAIM_H

#include "hostlib/trace/trace_path.h"

#include <string>

namespace cupr::host {

/// The path for this process, which no other will write to while this one lives. A file that is made gets the
/// mode.
std::string claimTracePath(const trace::TracePath &wish, unsigned mode);

/// Appends the path to the file that CUPR_TRACE_LIST names, if it does.
void listTrace(const std::string &path);

/// In a child of fork: the parent's lock is the parent's.
void forgetClaim();

} // namespace cupr::host

#endif
