/// The call between the files of this program.
#ifndef VECTORADD_VECTORS_H
#define VECTORADD_VECTORS_H

#include <vector>

/// Number by number, by the device. Empty when a CUDA call failed, after saying which.
std::vector<float> addOnDevice(const std::vector<float> &left, const std::vector<float> &right);

#endif
