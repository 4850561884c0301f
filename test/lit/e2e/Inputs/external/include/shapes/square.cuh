#pragma once
#include "cell.cuh"
inline constexpr int kCells = EDGE * EDGE;
