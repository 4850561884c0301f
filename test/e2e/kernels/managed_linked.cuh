extern __managed__ int total;
extern __managed__ int list[4];
extern int *const first;
__device__ void addFromOther();
int ownOfOther();
