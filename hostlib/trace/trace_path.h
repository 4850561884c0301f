/// Names of trace files: what the user writes, made into the path of one process.
///
/// A pattern may hold
///
///     %p       the number of the process
///     %h       the name of the host
///     %r       the rank of the process in its MPI job; 0 outside of one
///     %q{VAR}  the environment variable VAR
///     %%       a per cent sign
///
/// Each process has a file of its own. Where a job has several ranks and the pattern does not tell processes
/// apart, the rank is therefore put in front of the extension: `app.cuprtrace` of rank 3 is
/// `app.rank3.cuprtrace`.
///
/// The rank is known before MPI is initialised, from what the starter puts into the environment: Open MPI's
/// mpirun, Hydra and the PMI of others, Slurm.
#ifndef CUPR_TRACE_TRACE_PATH_H
#define CUPR_TRACE_TRACE_PATH_H

#include <cstdint>
#include <string>

namespace cupr::trace {

/// What the name of a file is made from.
struct NamedProcess {
  std::string program; ///< name of the executable, without folders
  std::uint64_t pid = 0;
  std::string rank;         ///< empty: not in an MPI job
  bool isOneOfMany = false; ///< its job has, or may have, more than one rank

  /// The rank from the environment.
  static NamedProcess of(std::string program, std::uint64_t pid);
};

/// The first sequence of the pattern that is none of the above; empty: all are. Such a sequence stays as it
/// is.
std::string unknownSequence(const std::string &pattern);

/// Whether the pattern gives each process another path.
bool namesProcess(const std::string &pattern);

/// `path` with `.<word>` put in front of its extension.
std::string withWord(const std::string &path, const std::string &word);

struct TracePath {
  std::string path;
  bool isOurName; ///< the name was made up; nothing that exists must be replaced
};

/// The path of the process's trace. An empty pattern, or one that names a folder: a file
/// `<program>.<pid>.cuprtrace` (`<program>.rank<rank>.<pid>.cuprtrace` in an MPI job), there.
TracePath tracePath(const std::string &pattern, const NamedProcess &process);

} // namespace cupr::trace

#endif
