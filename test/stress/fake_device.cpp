#include "fake_device.h"

#include "host_memory.h"

namespace cupr::stress {
namespace {
FakeDevice *device = nullptr;
}

FakeDevice::FakeDevice(std::function<bool(unsigned)> mayCopy) : mayCopy_(std::move(mayCopy)) {
  device = this;
  static constexpr auto result = [] { return device->hasFailed_ ? CUDA_ERROR_LAUNCH_FAILED : CUDA_SUCCESS; };
  driver_.cuCtxGetStreamPriorityRange = [](int *, int *) { return result(); };
  driver_.cuStreamCreateWithPriority = [](CUstream *stream, unsigned, int) {
    *stream = reinterpret_cast<CUstream>(std::uintptr_t{1});
    return result();
  };
  driver_.cuStreamQuery = [](CUstream) { return result(); };
  driver_.cuEventCreate = [](CUevent *event, unsigned) {
    const std::scoped_lock lock(device->mutex_);
    *event = reinterpret_cast<CUevent>(++device->events_);
    return result();
  };
  driver_.cuEventRecord = [](CUevent event, CUstream) {
    device->give({reinterpret_cast<std::uintptr_t>(event), nullptr, nullptr, 0});
    return result();
  };
  driver_.cuEventQuery = [](CUevent event) {
    const std::scoped_lock lock(device->mutex_);
    if (result() != CUDA_SUCCESS)
      return result();
    return device->done_.contains(reinterpret_cast<std::uintptr_t>(event)) ? CUDA_SUCCESS
                                                                           : CUDA_ERROR_NOT_READY;
  };
  driver_.cuMemcpyBatchAsync = [](CUdeviceptr *to, CUdeviceptr *from, std::size_t *bytes, std::size_t count,
                                  CUmemcpyAttributes *, std::size_t *, std::size_t, CUstream) {
    for (std::size_t i = 0; i < count; ++i)
      device->give({0, reinterpret_cast<unsigned char *>(to[i]),
                    reinterpret_cast<const unsigned char *>(from[i]), bytes[i]});
    return result();
  };
  thread_ = std::thread([this] { run(); });
}

FakeDevice::~FakeDevice() {
  stops_ = true;
  {
    const std::scoped_lock lock(mutex_);
    wake_.notify_all();
  }
  thread_.join();
  device = nullptr;
}

void FakeDevice::give(Job job) {
  const std::scoped_lock lock(mutex_);
  if (job.event)
    done_.erase(job.event);
  jobs_.push_back(job);
  wake_.notify_all();
}

void FakeDevice::run() {
  unsigned copies = 0;
  while (true) {
    Job job;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return stops_ || !jobs_.empty(); });
      if (stops_)
        return;
      job = jobs_.front();
      jobs_.pop_front();
      if (job.event) {
        done_.insert(job.event);
        continue;
      }
    }
    while (hasFailed_ || !mayCopy_(copies)) {
      if (stops_)
        return;
      std::this_thread::yield();
    }
    ++copies;
    for (std::size_t at = 0; at < job.bytes; at += 16) {
      copyAtomically(job.to + at, job.from + at);
      if ((copies + at) % 464 == 0)
        std::this_thread::yield(); // others get in between
    }
  }
}

} // namespace cupr::stress
