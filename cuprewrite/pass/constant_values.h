/// What is known of the values of accesses when the program is compiled.
#ifndef CUPR_PASS_CONSTANT_VALUES_H
#define CUPR_PASS_CONSTANT_VALUES_H

#include "access.h"

namespace cupr::pass {

/// Whether it stores the same in all threads of a launch: a constant, or an argument of the kernel.
bool storesOneValue(const Access &access);

/// Whether it is what takes a lock: a compare-and-swap of 0 by another constant; or what gives one back: a store of 0, or an
/// exchange by 0.
bool isOfLock(const Access &access);

} // namespace cupr::pass

#endif
