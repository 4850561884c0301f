// Masks of shuffles, votes, matches, reductions and barriers of a warp that leave out a thread that comes there, or name one that goes
// elsewhere.
//
// What the lanes hand each other is stored by each in a cell of its own. Where lanes go two ways, the ways come together again at something that
// all must come to: so whoever is waited for has not ended.
#include "cases.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr int kWarp = 32, kThreads = 64;
constexpr unsigned kAll = 0xffffffffu, kLower = 0x0000ffffu, kUpper = 0xffff0000u;

// The mask has the lower half, and all shuffle.
__global__ void halfMask(const int *in, int *out, bool fixed) {
  const int t = threadIdx.x;
  int value = in[t];
  value += __shfl_sync(fixed ? kAll : kLower, value, t % (kWarp / 2)); //~ halfMask: warp-mask
  out[t] = value;
}

// Each half has a mask, and they are the wrong way round.
__global__ void swappedMasks(const int *in, int *out, bool fixed) {
  const int t = threadIdx.x;
  const bool isLower = t % kWarp < kWarp / 2;
  const unsigned mask = isLower == fixed ? kLower : kUpper;
  int value = in[t];
  value += __ballot_sync(mask, value % 3 == 0); //~ swappedMasks: warp-mask
  out[t] = value;
}

// The mask is that of the neighbour alone.
__global__ void onlyNeighbour(const int *in, int *out, bool fixed) {
  const int t = threadIdx.x, lane = t % kWarp;
  const unsigned pair = 3u << (lane & ~1);
  int value = in[t];
  value += __shfl_xor_sync(fixed ? pair : pair & ~(1u << lane), value, 1); //~ onlyNeighbour: warp-mask
  out[t] = value;
}

// The mask counts lanes from 1.
__global__ void offByOne(const int *in, int *out, bool fixed) {
  const int t = threadIdx.x, lane = t % kWarp;
  const int length = in[0] + 20;
  int value = in[t];
  if (lane < length) {
    const unsigned mask = ((1u << length) - 1) << (fixed ? 0 : 1);
    value += __any_sync(mask, value > 5); //~ offByOne: warp-mask
  }
  out[t] = value;
}

// A barrier of the warp whose mask has who was active in another branch.
__global__ void oldMask(const int *in, int *out, bool fixed) {
  const int t = threadIdx.x;
  int value = in[t];
  unsigned mask = kAll;
  if (value % 2 == 0)
    mask = __ballot_sync(0x55555555u, true);
  else
    mask = fixed ? __ballot_sync(0xaaaaaaaau, true) : 0x55555555u;
  __syncwarp(mask); //~ oldMask: warp-mask
  out[t] = value + 1;
}

// The values that are alike are looked for among the wrong lanes.
__global__ void matchOthers(const int *in, int *out, bool fixed) {
  const int t = threadIdx.x;
  const int value = in[t] % 4;
  const unsigned even = __ballot_sync(kAll, value % 2 == 0);
  unsigned alike = 0;
  if (value % 2 == 0)
    alike = __match_any_sync(fixed ? even : ~even, value); //~ matchOthers: warp-mask
  out[t] = static_cast<int>(alike);
}

// A sum of the lanes with a bit, in which the others take part.
__global__ void sumOfSome(const int *in, int *out, bool fixed) {
  const int t = threadIdx.x;
  const int value = in[t];
  const unsigned some = __ballot_sync(kAll, value % 4 == 1);
  unsigned sum = 0;
  if (!fixed || value % 4 == 1)
    sum = __reduce_add_sync(some, static_cast<unsigned>(value)); //~ sumOfSome: warp-mask
  out[t] = static_cast<int>(sum);
}

// Half of the warp shuffles with all of it, which waits at the block's barrier.
__global__ void halfShuffles(const int *in, int *out, bool fixed) {
  const int t = threadIdx.x;
  int value = in[t];
  if (t % kWarp < kWarp / 2)
    value += __shfl_xor_sync(fixed ? kLower : kAll, value, 1); //~ halfShuffles: warp-mask
  __syncthreads();                                             //~ halfShuffles: warp-mask
  out[t] = value;
}

// A vote in one branch and a shuffle in the other, each with the whole warp.
__global__ void voteAndShuffle(const int *in, int *out, bool fixed) {
  const int t = threadIdx.x;
  int value = in[t];
  if (value % 2 == 0)
    value += __all_sync(fixed ? 0x55555555u : kAll, value < 1000); //~ voteAndShuffle: warp-mask
  else
    value += __shfl_xor_sync(fixed ? 0xaaaaaaaau : kAll, value, 2); //~ voteAndShuffle: warp-mask
  out[t] = value;
}

// Lanes go round a loop as often as they have work, and each round has a shuffle of all.
__global__ void roundsOfLanes(const int *in, int *out, bool fixed) {
  const int t = threadIdx.x, rounds = fixed ? 4 : 1 + in[t] % 4;
  int sum = 0;
#pragma unroll 1
  for (int round = 0; round < rounds; ++round)
    sum += __shfl_down_sync(kAll, t + round, 1); //~ roundsOfLanes: warp-mask
  __syncwarp();                                  //~ roundsOfLanes: warp-mask
  out[t] = sum;
}

// The lanes of one side name all in their mask, those of the other only themselves.
__global__ void twoMasks(const int *in, int *out, bool fixed) {
  const int t = threadIdx.x;
  const unsigned mask = t % kWarp < kWarp / 2 && !fixed ? kAll : t % kWarp < kWarp / 2 ? kLower : kUpper;
  int value = in[t];
  value += __popc(__ballot_sync(mask, value % 2)); //~ twoMasks: warp-mask
  __syncwarp();                                    //~ twoMasks: warp-mask
  out[t] = value;
}

// A condition is made of the warp's vote, which only those come to that it is true of already.
__global__ void votesInside(const int *in, int *out, bool fixed) {
  const int t = threadIdx.x;
  int value = in[t];
  const bool isOdd = value % 2 != 0;
  unsigned odd = 0;
  if (fixed)
    odd = __ballot_sync(kAll, isOdd);
  if (isOdd) {
    if (!fixed)
      odd = __ballot_sync(kAll, isOdd); //~ votesInside: warp-mask
    value += __shfl_sync(odd, value, 1);
  }
  __syncthreads(); //~ votesInside: warp-mask
  out[t] = value;
}

// A tile's sum, which only a part of the tile comes to.
__global__ void partOfTile(const int *in, int *out, bool fixed) {
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<8>(block);
  const int t = threadIdx.x;
  int value = in[t];
  if (fixed || tile.thread_rank() < 6)
    value += tile.shfl(value, 0); //~ partOfTile: warp-mask
  tile.sync();                    //~ partOfTile: warp-mask
  out[t] = value;
}

// A group of those that were together in front of a branch votes behind it.
__global__ void groupDivides(const int *in, int *out, bool fixed) {
  const int t = threadIdx.x;
  int value = in[t];
  if (value % 4 != 3) {
    const auto group = cg::coalesced_threads();
    if (fixed || value % 4 != 2)
      value += static_cast<int>(group.ballot(value % 2 == 0)); //~ groupDivides: warp-mask
    group.sync();                                              //~ groupDivides: warp-mask
  }
  out[t] = value;
}

// Lanes wait in a circle, each third with the next one.
__global__ void circle(const int *in, int *out, bool fixed) {
  const int t = threadIdx.x, lane = t % kWarp, third = lane * 3 / kWarp;
  int value = in[t];
  const unsigned thirds[] = {0x000007ffu, 0x003ff800u, 0xffc00000u};
  const unsigned mask = thirds[third] | (fixed ? 0 : thirds[(third + 1) % 3]);
  switch (third) {
  case 0:
    value += __popc(__ballot_sync(mask, value % 2)); //~ circle: warp-mask
    break;
  case 1:
    value += __popc(__ballot_sync(mask, value % 3)); //~ circle: warp-mask
    break;
  default:
    value += __popc(__ballot_sync(mask, value % 5));
  }
  out[t] = value;
}

// The first lane is left out, in inline assembly.
__device__ int shuffled(int value, unsigned mask) {
  int other;
  // clang-format off
  asm volatile("shfl.sync.idx.b32 %0, %1, 1, 31, %2;" : "=r"(other) : "r"(value), "r"(mask)); //~ inAssembly: warp-mask
  // clang-format on
  return other;
}

__global__ void inAssembly(const int *in, int *out, bool fixed) {
  const int t = threadIdx.x;
  out[t] = in[t] + shuffled(in[t], fixed ? kAll : kAll << 1);
}

int main(int argc, char **argv) {
  return casesMain(argc, argv,
                   {PLAIN_CASE(halfMask, 1, kThreads), PLAIN_CASE(swappedMasks, 1, kThreads),
                    PLAIN_CASE(onlyNeighbour, 1, kThreads), PLAIN_CASE(offByOne, 1, kThreads),
                    PLAIN_CASE(oldMask, 1, kThreads), PLAIN_CASE(matchOthers, 1, kThreads),
                    PLAIN_CASE(sumOfSome, 1, kThreads), PLAIN_CASE(halfShuffles, 1, kThreads),
                    PLAIN_CASE(voteAndShuffle, 1, kThreads), PLAIN_CASE(roundsOfLanes, 1, kThreads),
                    PLAIN_CASE(twoMasks, 1, kThreads), PLAIN_CASE(votesInside, 1, kThreads),
                    PLAIN_CASE(partOfTile, 1, kThreads), PLAIN_CASE(groupDivides, 1, kThreads),
                    PLAIN_CASE(circle, 1, kThreads), PLAIN_CASE(inAssembly, 1, kThreads)});
}
