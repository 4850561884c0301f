#ifndef MIDDLE_H
#define MIDDLE_H
#include "kernels.cuh"
#define OUTER_VALUE PLAIN_VALUE
#endif
