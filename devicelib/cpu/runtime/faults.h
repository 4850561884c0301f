/// Bad addresses in kernels: a fault of a lane becomes a failure of its launch, as
/// on a GPU, and the process goes on.
#ifndef CUPR_CPU_FAULTS_H
#define CUPR_CPU_FAULTS_H

namespace cupr::cpu {

/// Takes over SIGSEGV and SIGBUS, once per process, and gives the calling thread a
/// stack to handle them on. Faults outside of lanes go to whoever had the signal
/// before.
void watchFaults();

} // namespace cupr::cpu

#endif
