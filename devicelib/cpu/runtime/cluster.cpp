#include "cluster.h"

#include <new>
#include <sys/mman.h>

namespace cupr::cpu {

void ClusterBarrier::open(unsigned blocks) {
  all_ = (1u << blocks) - 1;
  arrived_ = ended_ = stuck_ = 0;
  phase_.store(0, std::memory_order_relaxed);
}

bool ClusterBarrier::note(std::uint32_t &blocks, unsigned rank) {
  std::lock_guard lock(mutex_);
  blocks |= 1u << rank;
  if (arrived_ == 0 || (arrived_ | ended_) != all_)
    return false;
  arrived_ = stuck_ = 0;
  phase_.fetch_add(1, std::memory_order_release);
  return true;
}

bool ClusterBarrier::isStuck(unsigned rank, std::uint32_t phases) {
  std::lock_guard lock(mutex_);
  if (phase_.load(std::memory_order_relaxed) >= phases)
    return false;
  stuck_ |= 1u << rank;
  return (stuck_ | ended_) == all_;
}

bool ClusterBarrier::isOver() const {
  std::lock_guard lock(mutex_);
  return ended_ == all_;
}

void Clusters::open(const Dim3 &grid, const Dim3 &size) {
  grid_ = grid;
  size_ = size;
  blocks_ = size.x * size.y * size.z;
}

/// Null: there is no memory.
unsigned char *Clusters::makeFrames() {
  if (!free_.empty()) {
    unsigned char *const frames = free_.back();
    free_.pop_back();
    return frames;
  }
  const std::size_t bytes = blocks_ * kSharedWindow;
  void *const memory = mmap(nullptr, bytes + kSharedWindow, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_32BIT, -1, 0);
  if (memory == MAP_FAILED)
    return nullptr;
  if (mprotect(memory, bytes, PROT_READ | PROT_WRITE) != 0) {
    munmap(memory, bytes + kSharedWindow);
    return nullptr;
  }
  return static_cast<unsigned char *>(memory);
}

BlockPlace Clusters::begin(std::uint64_t turn, bool &isThere) {
  isThere = true;
  if (blocks_ == 1)
    return {turn, nullptr, 0};
  const std::uint64_t number = turn / blocks_;
  const auto rank = static_cast<unsigned>(turn % blocks_);
  const std::uint64_t across = grid_.x / size_.x, down = grid_.y / size_.y;
  const Dim3 place{static_cast<std::uint32_t>(number % across),
                   static_cast<std::uint32_t>(number / across % down),
                   static_cast<std::uint32_t>(number / across / down)};
  const std::uint64_t x = place.x * size_.x + rank % size_.x,
                      y = place.y * size_.y + rank / size_.x % size_.y,
                      z = place.z * size_.z + rank / size_.x / size_.y;
  std::lock_guard lock(mutex_);
  std::unique_ptr<Cluster> &cluster = clusters_[number];
  if (!cluster) {
    unsigned char *const frames = makeFrames();
    if (!frames) {
      clusters_.erase(number);
      isThere = false;
      return {(z * grid_.y + y) * grid_.x + x, nullptr, rank};
    }
    cluster = std::make_unique<Cluster>();
    cluster->place = place;
    cluster->frames = frames;
    cluster->barrier.open(blocks_);
  }
  return {(z * grid_.y + y) * grid_.x + x, cluster.get(), rank};
}

void Clusters::end(const BlockPlace &place) {
  if (!place.cluster)
    return;
  std::lock_guard lock(mutex_);
  place.cluster->barrier.end(place.rank);
  if (!place.cluster->barrier.isOver())
    return;
  const Dim3 at = place.cluster->place;
  const std::uint64_t across = grid_.x / size_.x, down = grid_.y / size_.y;
  free_.push_back(place.cluster->frames);
  clusters_.erase((at.z * down + at.y) * across + at.x);
}

void Clusters::close() {
  for (const auto &[number, cluster] : clusters_) // of a launch that failed
    free_.push_back(cluster->frames);
  clusters_.clear();
  for (unsigned char *const frames : free_)
    munmap(frames, (blocks_ + 1) * kSharedWindow);
  free_.clear();
}

void Clusters::forget() {
  new (&mutex_) std::mutex;
  close();
}

} // namespace cupr::cpu
