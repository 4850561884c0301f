#pragma once
__device__ inline int *cell(int *square, int i) { return square + i; }
