// Cooperative groups over thread block clusters, for which the toolkit's header asks nvcc alone.
// RUN: %cuprxx --device=gpu -std=c++17 -arch=sm_90 -c -o %t.o %s
#include <cooperative_groups.h>

__global__ void kernel(int *out) {
  __shared__ int mine;
  cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  mine = cluster.block_rank();
  cluster.sync();
  out[cluster.block_rank()] = *cluster.map_shared_rank(&mine, 1) + cluster.num_blocks();
  cluster.barrier_wait(cluster.barrier_arrive());
}
