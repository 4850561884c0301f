/// LLVM's intrinsics for textures and surfaces as the PTX instructions that they become, for both passes that read PTX.
///
///     llvm.nvvm.tex.unified.2d.array.level.v4f32.f32   tex.level.a2d.v4.f32.f32
///     llvm.nvvm.suld.1d.v2i16.zero                     suld.b.1d.v2.b16.zero
#ifndef CUPR_PTX_IMAGE_INTRINSIC_H
#define CUPR_PTX_IMAGE_INTRINSIC_H

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cupr::ptx {

struct ImageIntrinsic {
  std::vector<std::string> words; ///< of the instruction
  /// Of its arguments: the object and, where samplers are apart, the sampler, then coordinates; what is stored, or levels and
  /// gradients, follow.
  unsigned handles = 1, coordinates = 1;
};

/// `parts`: of the name, behind `llvm.nvvm.`; nothing: it is none of these.
std::optional<ImageIntrinsic> imageIntrinsic(std::span<const std::string_view> parts);

/// How many coordinates the shape of a texture or surface has, a layer included: `a2d`, 3; 0: the word names no shape.
unsigned coordinatesOf(std::string_view shape);

} // namespace cupr::ptx

#endif
