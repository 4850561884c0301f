#include "managed_linked.cuh"

__managed__ int total = 1;
__managed__ int list[4] = {1, 2, 3, 4};
static __managed__ int own = 10;
int *const first = &list[0];

__device__ void addFromOther() { list[2] = own; }
int ownOfOther() { return own; }
