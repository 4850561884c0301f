#include "image_intrinsic.h"

#include <utility>

namespace cupr::ptx {

unsigned coordinatesOf(std::string_view shape) {
  static constexpr std::pair<std::string_view, unsigned> kShapes[] = {
      {"1d", 1},  {"2d", 2},   {"a1d", 2},   {"3d", 3},   {"cube", 3},
      {"a2d", 3}, {"2dms", 3}, {"acube", 4}, {"a2dms", 4}};
  for (const auto &[name, count] : kShapes)
    if (name == shape)
      return count;
  return 0;
}

namespace {

/// `v4f32`, `i8` as words of PTX: `v4`, `f32`; `b8`. PTX has no type of whole numbers without a sign for surfaces.
void addType(std::vector<std::string> &words, std::string_view type) {
  if (type.starts_with('v')) {
    words.emplace_back(type.substr(0, 2));
    type.remove_prefix(2);
  }
  words.push_back((type.starts_with('i') ? 'b' : type.front()) + std::string(type.substr(1)));
}

} // namespace

std::optional<ImageIntrinsic> imageIntrinsic(std::span<const std::string_view> parts) {
  if (parts.empty())
    return std::nullopt;
  const std::string_view name = parts.front();
  parts = parts.subspan(1);
  const auto take = [&](std::string_view word) {
    const bool isNext = !parts.empty() && parts.front() == word;
    if (isNext)
      parts = parts.subspan(1);
    return isNext;
  };
  const auto takeAny = [&] {
    std::string_view word;
    if (!parts.empty()) {
      word = parts.front();
      parts = parts.subspan(1);
    }
    return std::string(word);
  };
  ImageIntrinsic found;
  found.words.emplace_back(name);
  if (name == "tex" || name == "tld4")
    found.handles = take("unified") ? 1 : 2;
  else if (name == "suld")
    found.words.emplace_back("b");
  else if (name != "sust")
    return std::nullopt;
  if (name == "sust" || name == "tld4") // b, p; which component
    found.words.push_back(takeAny());
  std::string shape = takeAny();
  if (take("array"))
    shape.insert(0, 1, 'a');
  for (const char *const how : {"level", "grad"})
    if (take(how))
      found.words.emplace_back(how);
  found.coordinates = coordinatesOf(shape);
  found.words.push_back(std::move(shape));
  if (found.coordinates == 0 || parts.size() != 2 || parts[0].size() < 2 || parts[1].empty())
    return std::nullopt;
  addType(found.words, parts[0]);
  found.words.emplace_back(parts[1]); // type of the coordinates, or what happens outside
  return found;
}

} // namespace cupr::ptx
