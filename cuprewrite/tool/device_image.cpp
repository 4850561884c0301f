#include "device_image.h"

#include "file_text.h"

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <xxhash.h>

namespace fs = std::filesystem;

namespace cupr::tool {
namespace {

/// The head of a fat binary, which the CPU-only image imitates.
struct ImageHead {
  std::uint32_t magic = 0xBA55ED50;
  std::uint16_t version = 1;
  std::uint16_t headBytes = 16;
  std::uint64_t payloadBytes = 0;
};

} // namespace

DeviceImage::DeviceImage(const Installation &installation, const DriverOptions &options, Execution &execution,
                         const std::vector<GpuTarget> &targets, std::string folder)
    : installation_(installation), options_(options), execution_(execution), folder_(std::move(folder)) {
  const bool forGpu = options.device != TargetDevice::Cpu, forCpu = options.device != TargetDevice::Gpu;
  for (const GpuTarget &target : targets) {
    const bool oldest = codes_.empty();
    if (!forGpu && !oldest)
      continue;
    const std::string place = file(target.architecture);
    fs::create_directory(place);
    codes_.push_back(
        std::make_unique<DeviceCode>(installation, options, execution, target, place, forCpu && oldest));
  }
}

int DeviceImage::build(const std::function<int(const DeviceCode &)> &prepare) {
  std::vector<std::function<int()>> lanes;
  for (const auto &code : codes_)
    lanes.push_back([&] {
      if (const int failed = prepare(*code))
        return failed;
      return code->build();
    });
  if (const int code = execution_.sideBySide(lanes))
    return code;
  if (const int code = pack())
    return code;
  return options_.device != TargetDevice::Gpu ? codes_.front()->buildForCpu(imageId()) : 0;
}

int DeviceImage::pack() {
  if (options_.device == TargetDevice::Cpu) {
    if (!execution_.shows())
      writeCpuOnlyImage();
    return 0;
  }
  Command pack{installation_.cudaProgram("fatbinary"), "-64", "--create", image()};
  pack.add(options_.fatBinaryFlags);
  for (const auto &code : codes_)
    pack.add(code->images());
  return execution_.run("image", pack);
}

std::vector<KernelCost> DeviceImage::costs(const std::string &source) const {
  std::vector<KernelCost> all;
  for (const auto &code : codes_)
    for (KernelCost &cost : code->costs(source))
      all.push_back(std::move(cost));
  return all;
}

/// An image for programs without GPU code: a mark, and an id that is the code's hash.
void DeviceImage::writeCpuOnlyImage() const {
  const std::string code = fileText(codes_.front()->instrumented());
  const XXH128_hash_t hash = XXH3_128bits(code.data(), code.size());
  std::string payload = "CUPRCPU1";
  payload.append(reinterpret_cast<const char *>(&hash), sizeof hash);
  ImageHead head;
  head.payloadBytes = payload.size();
  std::ofstream out(image(), std::ios::binary);
  out.write(reinterpret_cast<const char *>(&head), sizeof head);
  out.write(payload.data(), static_cast<std::streamsize>(payload.size()));
}

std::string DeviceImage::imageId() const {
  if (execution_.shows())
    return "HASH-OF-THE-IMAGE";
  const std::string bytes = fileText(image());
  ImageHead head;
  if (bytes.size() < sizeof head)
    return "";
  std::memcpy(&head, bytes.data(), sizeof head);
  const std::size_t used = std::min<std::size_t>(bytes.size(), head.headBytes + head.payloadBytes);
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), used);
  return fmt::format("{:016x}{:016x}", hash.low64, hash.high64);
}

} // namespace cupr::tool
