/// cupranalyze-mpi: what cupranalyze becomes with --mpi. A program of its own, so that nobody else has to
/// load MPI.
#include "analysis/model/model.h"
#include "analysis/output/utf8.h"
#include "analysis/tool/run.h"
#include "mpi_peers.h"

#include <cstdio>
#include <exception>

int main(int argc, char **argv) {
  using namespace cupr::analysis;
  MpiPeers peers(&argc, &argv);
  const auto giveUp = [&](const std::exception &error, ExitCode code) {
    std::fprintf(stderr, "cupranalyze: process %u: %s\n", peers.number(), shown(error.what()).c_str());
    peers.abort(code);
  };
  try {
    return run(argc, argv, &peers);
  } catch (const BadTrace &error) {
    giveUp(error, kExitBadTrace);
  } catch (const cupr::trace::TooMuch &error) {
    giveUp(error, kExitBadTrace);
  } catch (const std::exception &error) {
    giveUp(error, kExitUsage);
  }
}
