/// volume: rays through a volume of bytes, which show what is dense in it.
///
///     volume [texture|global] [size] [width x height of a block] [angles] [frames]
///     volume texture 256 16x8 0,0,0 3                                    the default
///
/// Prints a hash of the picture and the time of the fastest frame; exit 1 when a row of pixels in sixteen is not the host's.
#include "volume.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

std::uint32_t gatherOnHost(const View &view, int column, int row) {
  Place place = behind(behind(view.corner, view.right, column), view.down, row);
  Light light = kDark;
  for (int sample = 0; sample < view.size && !light.isFull(); ++sample) {
    if (isInside(place, view.size))
      light.add(voxelAt(place.x >> kFraction, place.y >> kFraction, place.z >> kFraction, view.size));
    place = behind(place, view.ahead, 1);
  }
  return light.brightness;
}

bool isAsOnHost(const std::vector<std::uint32_t> &picture, const View &view) {
  for (int row = 0; row < view.size; row += 16)
    for (int column = 0; column < view.size; ++column)
      if (picture[static_cast<size_t>(row) * view.size + column] != gatherOnHost(view, column, row))
        return false;
  return true;
}

/// FNV-1a over the pixels.
std::uint64_t hashOf(const std::vector<std::uint32_t> &picture) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const std::uint32_t pixel : picture)
    hash = (hash ^ pixel) * 0x100000001b3u;
  return hash;
}

int usage() {
  std::fprintf(stderr, "usage: volume [texture|global] [size, 16 to 1024] [WIDTHxHEIGHT of a block, at most 1024 threads] "
                       "[X,Y,Z degrees] [frames, 1 to 100]\n");
  return 2;
}

} // namespace

int main(int argc, char **argv) {
  const char *const memory = argc > 1 ? argv[1] : "texture";
  const int size = argc > 2 ? std::atoi(argv[2]) : 256, frames = argc > 5 ? std::atoi(argv[5]) : 3;
  Shape block{16, 8};
  int x = 0, y = 0, z = 0;
  if ((std::strcmp(memory, "texture") != 0 && std::strcmp(memory, "global") != 0) || size < 16 || size > 1024 ||
      frames < 1 || frames > 100 || (argc > 3 && std::sscanf(argv[3], "%dx%d", &block.width, &block.height) != 2) ||
      block.width < 1 || block.height < 1 || block.width > 1024 || block.height > 1024 ||
      block.width * block.height > 1024 || (argc > 4 && std::sscanf(argv[4], "%d,%d,%d", &x, &y, &z) != 3))
    return usage();
  const View view = viewOf(size, x, y, z);
  const Frames drawn =
      render(view, std::strcmp(memory, "texture") == 0 ? Memory::Texture : Memory::Global, block, frames);
  if (drawn.picture.empty())
    return 1;
  const bool equal = isAsOnHost(drawn.picture, view);
  std::printf("volume: %s, %d voxels along an edge, blocks of %d x %d, view (%d,%d,%d), hash %016llx, %s\n", memory, size,
              block.width, block.height, x, y, z, static_cast<unsigned long long>(hashOf(drawn.picture)),
              equal ? "as on the host" : "WRONG: differs from the host");
  std::printf("frame %.4f ms\n", drawn.milliseconds);
  return equal ? 0 : 1;
}
