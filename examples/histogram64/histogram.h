/// Sizes of the histogram, and the calls between the files of this program.
#ifndef HISTOGRAM64_HISTOGRAM_H
#define HISTOGRAM64_HISTOGRAM_H

#include <cstdint>
#include <vector>

constexpr int kBins = 64; ///< the upper six bits of a byte

inline int binOf(unsigned byte) { return static_cast<int>(byte >> 2); }

/// Counts per bin, by the device. `data`'s size is a multiple of 16. Empty when a CUDA call failed, after
/// saying which.
std::vector<std::uint32_t> countOnDevice(const std::vector<std::uint8_t> &data);

#endif
