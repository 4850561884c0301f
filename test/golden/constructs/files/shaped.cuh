#ifdef OTHER
#define ADD 4
static __device__ int load(const int *in) { return in[threadIdx.x]; }
#elif !defined(ADD)
#define ADD 1
static __device__ int load(const int *in) { return in[threadIdx.x]; }
#endif
static __global__ void NAME(SHAPE(int) out, SHAPE(const int) in) { out[threadIdx.x] = load(in) + ADD; }
