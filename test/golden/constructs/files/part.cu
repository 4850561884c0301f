static __global__ void part(int *out, const int *in) { out[threadIdx.x] = load(in) + same(2); }
static void runPart(int *out, const int *in) { part<<<1, 32>>>(out, in); }
