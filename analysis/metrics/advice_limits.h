/// From where on it is worth a word how a program copies and launches. docs/findings.md has the same.
#ifndef CUPR_ANALYSIS_ADVICE_LIMITS_H
#define CUPR_ANALYSIS_ADVICE_LIMITS_H

#include <cstddef>
#include <cstdint>

namespace cupr::analysis {

/// Less is no finding, in seconds.
inline constexpr double kLeastGain = 50e-6;
/// What happens so often at one place is done again and again.
inline constexpr std::uint64_t kLeastOfPlace = 16;
/// Copies of one piece of memory of the host, or by one place, that make it worthwhile to page-lock it.
inline constexpr std::uint64_t kLeastCopiesOfOne = 4;
/// Of the host behind a call, in seconds: less is what lies between any two calls.
inline constexpr double kLeastWork = 20e-6;
/// Smaller ones go through buffers of CUDA's without much delay.
inline constexpr std::uint64_t kLeastPageableBytes = 64 * 1024;
inline constexpr std::size_t kLeastCopiesInRow = 4;
/// That a kernel may take by value ("CUDA C++ Programming Guide", function parameters).
inline constexpr std::uint64_t kMostArgumentBytes = 4096;
/// A launch that takes longer on the device hides its own call, in seconds.
inline constexpr double kMostForGraph = 20e-6;
/// Of a sequence of launches, one behind the other.
inline constexpr std::size_t kLeastTurns = 8, kLongestTurn = 32;
/// Launches between two waits of the host that a graph is worthwhile for, and that one should hold where nobody waits.
inline constexpr std::size_t kLeastInGraph = 4, kInGraph = 16;

} // namespace cupr::analysis

#endif
