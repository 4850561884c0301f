#include "kernel_figures.h"

#include <algorithm>
#include <charconv>

namespace cupr::tool {
namespace {

template <typename Visit> void forEachLine(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    visit(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

/// The number in front of `unit`: 16 in "Used 16 registers, ...", for " registers"; 0 when there is none.
unsigned numberBefore(std::string_view line, std::string_view unit) {
  const std::size_t end = line.find(unit);
  if (end == std::string_view::npos)
    return 0;
  std::size_t start = end;
  while (start > 0 && line[start - 1] >= '0' && line[start - 1] <= '9')
    --start;
  unsigned number = 0;
  std::from_chars(line.data() + start, line.data() + end, number);
  return number;
}

/// What stands between `front` and `back`; empty when the line is another.
std::string_view between(std::string_view line, std::string_view front, std::string_view back) {
  const std::size_t at = line.find(front);
  if (at == std::string_view::npos)
    return {};
  line.remove_prefix(at + front.size());
  return line.substr(0, back.empty() ? line.size() : line.find(back));
}

KernelFigures *find(std::vector<KernelFigures> &kernels, std::string_view name) {
  const auto found = std::find_if(kernels.begin(), kernels.end(),
                                  [&](const KernelFigures &kernel) { return kernel.name == name; });
  return found == kernels.end() ? nullptr : &*found;
}

/// `.maxntid 16, 8, 1` or `.reqntid ...` between the name of an entry and its body: the threads of a block.
void takeBlockSizes(std::vector<KernelFigures> &kernels, std::string_view ptx) {
  KernelFigures *kernel = nullptr;
  forEachLine(ptx, [&](std::string_view line) {
    if (const std::string_view name = between(line, ".entry ", "("); !name.empty())
      kernel = find(kernels, name);
    if (!line.empty() && line.front() == '{')
      kernel = nullptr;
    for (const std::string_view directive : {".maxntid ", ".reqntid "})
      if (std::string_view sizes = between(line, directive, ""); kernel && !sizes.empty()) {
        kernel->blockSize = 1;
        while (!sizes.empty()) {
          const std::size_t end = std::min(sizes.find(','), sizes.size());
          std::string_view size = sizes.substr(0, end);
          size.remove_prefix(std::min(size.find_first_not_of(" \t"), size.size()));
          unsigned number = 1;
          std::from_chars(size.data(), size.data() + size.size(), number);
          kernel->blockSize *= number;
          sizes.remove_prefix(std::min(end + 1, sizes.size()));
        }
      }
  });
}

} // namespace

std::vector<KernelFigures> figuresOf(std::string_view assemblerOutput, std::string_view ptx) {
  std::vector<KernelFigures> kernels;
  std::string_view entry, function; // what is being compiled; whose properties come next
  forEachLine(assemblerOutput, [&](std::string_view line) {
    if (const auto name = between(line, "Compiling entry function '", "'"); !name.empty()) {
      entry = name;
      kernels.emplace_back().name = name;
    } else if (const auto other = between(line, "Function properties for ", ""); !other.empty()) {
      function = other;
    } else if (line.find(" bytes stack frame") != std::string_view::npos) {
      if (kernels.empty() || function != entry)
        return;
      kernels.back().stack = numberBefore(line, " bytes stack frame");
      kernels.back().spillStores = numberBefore(line, " bytes spill stores");
      kernels.back().spillLoads = numberBefore(line, " bytes spill loads");
    } else if (line.find(": Used ") != std::string_view::npos && !kernels.empty()) {
      KernelFigures &kernel = kernels.back();
      kernel.registers = numberBefore(line, " registers");
      kernel.shared = numberBefore(line, " bytes smem");
      kernel.stack = std::max(kernel.stack, numberBefore(line, " bytes cumulative stack size"));
    }
  });
  takeBlockSizes(kernels, ptx);
  return kernels;
}

void takeLinked(std::vector<KernelFigures> &kernels, std::string_view linkerOutput, unsigned reservedShared) {
  KernelFigures *kernel = nullptr;
  forEachLine(linkerOutput, [&](std::string_view line) {
    if (const auto name = between(line, "Function properties for '", "'"); !name.empty()) {
      kernel = find(kernels, name);
    } else if (kernel && line.find(": used ") != std::string_view::npos) {
      kernel->registers = numberBefore(line, " registers");
      kernel->stack = numberBefore(line, " stack");
      const unsigned shared = numberBefore(line, " bytes smem");
      kernel->shared = shared - std::min(shared, reservedShared);
      kernel = nullptr;
    }
  });
}

std::string withoutFigures(std::string_view output) {
  std::string rest;
  forEachLine(output, [&](std::string_view line) {
    const bool figures = line.find("ptxas info ") == 0 || line.find("nvlink info ") == 0 ||
                         line.find(" bytes stack frame") != std::string_view::npos;
    if (!figures)
      rest.append(line).append("\n");
  });
  return rest;
}

} // namespace cupr::tool
