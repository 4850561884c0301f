/// Alone in their file: of the shared runtime only these have to lie in the small block of thread-local memory that
/// a running process has left for libraries (hostlib/runtime/assemble_library.sh).
#include "lane_state.h"

#include "devicelib/abi/cpu_device.h"

__thread cupr::cpu::LaneState __cupr_cpu_lane;
__thread int __cupr_runtime_depth;
