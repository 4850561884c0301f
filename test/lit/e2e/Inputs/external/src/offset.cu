__device__ int offset() { return 1; }
