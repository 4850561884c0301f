/// Headers of the toolkit that a program includes after clang has included their other half.
#ifndef CUPR_COMPATIBILITY_TOOLKIT_HEADERS_H
#define CUPR_COMPATIBILITY_TOOLKIT_HEADERS_H

// nvcc includes these before every source.
#include <new>
#include <time.h>

// Clang takes the definitions (*.hpp) and not the declarations, which would now repeat them.
#define __SM_20_ATOMIC_FUNCTIONS_H__
#define __SM_20_INTRINSICS_H__
#define __SM_32_ATOMIC_FUNCTIONS_H__
#define __SM_35_ATOMIC_FUNCTIONS_H__
#define __SM_60_ATOMIC_FUNCTIONS_H__
#define __SM_61_INTRINSICS_H__

// Clang has the intrinsics of thread block clusters, which cooperative_groups asks nvcc alone for.
#ifndef _CG_CLUSTER_INTRINSICS_AVAILABLE
#define _CG_CLUSTER_INTRINSICS_AVAILABLE
#endif

#endif
