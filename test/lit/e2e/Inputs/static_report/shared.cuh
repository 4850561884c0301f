#pragma once
template <typename T> __global__ void set(T *to, T value) { to[threadIdx.x] = value; }
