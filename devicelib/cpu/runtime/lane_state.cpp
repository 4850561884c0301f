/// Alone in its file: of the shared runtime only this has to lie in the small block of thread-local memory that
/// a running process has left for libraries (hostlib/runtime/assemble_library.sh).
#include "lane_state.h"

__thread cupr::cpu::LaneState __cupr_cpu_lane;
