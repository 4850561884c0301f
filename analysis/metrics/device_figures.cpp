#include "device_figures.h"

namespace cupr::analysis {

DeviceFigures figuresOf(std::string_view name) {
  struct Known {
    std::string_view name; ///< a part of what CUDA calls it
    DeviceFigures figures;
  };
  static constexpr Known kKnown[] = {
      {"H100 PCIe", {114, 300e9, 2.0e12, 50e9, 25e12}}, {"H100", {132, 450e9, 3.35e12, 50e9, 30e12}},
      {"H200", {132, 450e9, 4.8e12, 50e9, 30e12}},      {"H800", {132, 200e9, 3.35e12, 50e9, 30e12}},
      {"B200", {148, 900e9, 8.0e12, 50e9, 36e12}},      {"A100", {108, 300e9, 1.94e12, 25e9, 19e12}},
      {"A800", {108, 200e9, 1.94e12, 25e9, 19e12}},     {"V100", {80, 150e9, 0.9e12, 12e9, 16e12}}};
  for (const Known &known : kKnown)
    if (name.find(known.name) != name.npos)
      return known.figures;
  return {};
}

} // namespace cupr::analysis
