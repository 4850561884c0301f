/// Peers that mpirun started.
#ifndef CUPR_ANALYSIS_MPI_MPI_PEERS_H
#define CUPR_ANALYSIS_MPI_MPI_PEERS_H

#include "analysis/engine/peers.h"

namespace cupr::analysis {

/// The processes of MPI_COMM_WORLD. From MPI_Init to MPI_Finalize, so there can be only one. An error of MPI
/// ends all processes.
class MpiPeers : public Peers {
public:
  MpiPeers(int *argc, char ***argv);
  ~MpiPeers() override;
  MpiPeers(const MpiPeers &) = delete;
  MpiPeers &operator=(const MpiPeers &) = delete;

  unsigned number() const override { return number_; }
  unsigned count() const override { return count_; }
  unsigned onThisMachine() override;
  std::uint64_t least(std::uint64_t value) override;
  std::vector<Bytes> exchange(std::vector<Bytes> toEach) override;
  std::vector<UnnamedFile> gather(std::FILE *file) override;

  /// Ends all processes: this one can't go on, and the others would wait for it.
  [[noreturn]] void abort(int exitCode);

private:
  unsigned number_ = 0, count_ = 1;
};

} // namespace cupr::analysis

#endif
