/// Shades are opacities of one colour; the square root keeps small volumes visible.
#include "svg.h"

#include "analysis/model/names.h"
#include "text.h"
#include "utf8.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace cupr::analysis {

namespace {

/// Opacity for `value` of `most`.
double shade(std::uint64_t value, std::uint64_t most) {
  return most == 0 ? 0 : 0.08 + 0.62 * std::sqrt(static_cast<double>(value) / static_cast<double>(most));
}

std::string shortened(const std::string &text, std::size_t length) {
  return text.size() <= length ? text : text.substr(0, length - 1) + "\xe2\x80\xa6";
}

/// `least` is the width below which the drawing scrolls instead of shrinking.
std::string startSvg(double width, double height, double least, std::string_view label) {
  return fmt::format(
      "<div class=\"scroll\"><svg viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\" aria-label=\"{2}\" "
      "style=\"width:100%;max-width:{0:.0f}px;min-width:{3:.0f}px\">\n",
      width, height, htmlText(label), std::min(width, least));
}

constexpr const char *kEndSvg = "</svg></div>\n";

} // namespace

std::string htmlText(std::string_view text) {
  std::string result;
  for (const char c : validUtf8(text)) {
    switch (c) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '"':
      result += "&quot;";
      break;
    case '\'':
      result += "&#39;";
      break;
    default:
      result += c;
    }
  }
  return result;
}

std::string kernelMatrixSvg(const KernelMatrix &matrix) {
  const std::size_t n = matrix.names.size();
  const bool roomy = n <= 10;
  const double labels = 190, top = 44, width = roomy ? 66 : 30, height = roomy ? 34 : 24;
  const std::uint64_t most = *std::max_element(matrix.bytes.begin(), matrix.bytes.end());
  std::string svg = startSvg(labels + width * static_cast<double>(n) + 2,
                             top + height * static_cast<double>(n) + 2, 360, "Bytes from kernel to kernel");
  svg +=
      fmt::format("<text x=\"{}\" y=\"14\" class=\"axis\">read by \xe2\x86\x92</text><text x=\"0\" y=\"34\" "
                  "class=\"axis\">written by \xe2\x86\x93</text>\n",
                  labels);
  for (std::size_t i = 0; i < n; ++i) {
    const std::string name = shortName(matrix.names[i]);
    const double x = labels + width * static_cast<double>(i), y = top + height * static_cast<double>(i);
    svg += fmt::format("<text x=\"{}\" y=\"34\" class=\"num mid\">{}<title>{}</title></text>\n",
                       x + width / 2, i + 1, htmlText(matrix.names[i]));
    svg += fmt::format("<text x=\"0\" y=\"{}\"><tspan class=\"num\">{}</tspan> {}<title>{}</title></text>\n",
                       y + height / 2 + 4, i + 1, htmlText(shortened(name, 22)), htmlText(matrix.names[i]));
    for (std::size_t j = 0; j < n; ++j) {
      const std::uint64_t bytes = matrix.bytes[i * n + j];
      const double cellX = labels + width * static_cast<double>(j);
      svg += fmt::format("<g><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"3\" class=\"{}\"",
                         cellX + 1, y + 1, width - 2, height - 2, bytes ? "heat" : "none");
      if (bytes)
        svg += fmt::format(" fill-opacity=\"{:.2f}\"", shade(bytes, most));
      svg += "/>";
      if (bytes && roomy)
        svg += fmt::format("<text x=\"{}\" y=\"{}\" class=\"mid cell\">{}</text>", cellX + width / 2,
                           y + height / 2 + 4, bytesText(bytes));
      svg += fmt::format("<title>{} \xe2\x86\x92 {}: {} bytes</title></g>\n",
                         htmlText(shortName(matrix.names[i])), htmlText(shortName(matrix.names[j])),
                         grouped(bytes));
    }
  }
  return svg + kEndSvg;
}

std::string densityMapSvg(const DensityMap &map) {
  const double side = 480, left = 56, top = 34;
  const double cell = side / static_cast<double>(map.cells);
  const std::uint64_t most = *std::max_element(map.bytes.begin(), map.bytes.end());
  std::string svg = startSvg(left + side + 2, top + side + 2, 240, "Bytes from CTA to CTA");
  svg += fmt::format(
      "<text x=\"{0}\" y=\"12\" class=\"axis\">CTA that wrote \xe2\x86\x92</text>"
      "<text x=\"0\" y=\"{1}\" class=\"axis\">CTA</text><text x=\"0\" y=\"{2}\" class=\"axis\">that</text>"
      "<text x=\"0\" y=\"{3}\" class=\"axis\">read \xe2\x86\x93</text>"
      "<text x=\"{0}\" y=\"28\" class=\"num\">0</text><text x=\"{4}\" y=\"28\" class=\"num end\">{5}</text>"
      "<text x=\"{6}\" y=\"{1}\" class=\"num end\">0</text><text x=\"{6}\" y=\"{7}\" class=\"num "
      "end\">{5}</text>\n",
      left, top + 12, top + 28, top + 44, left + side, map.ctas - 1, left - 6, top + side);
  svg += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"none\"/>\n", left, top, side,
                     side);
  const auto range = [&](std::size_t i) {
    const std::uint64_t first = i * map.ctasPerCell, last = std::min(map.ctas, first + map.ctasPerCell) - 1;
    return first == last ? std::to_string(first) : fmt::format("{}\xe2\x80\x93{}", first, last);
  };
  for (std::size_t source = 0; source < map.cells; ++source)
    for (std::size_t destination = 0; destination < map.cells; ++destination) {
      const std::uint64_t bytes = map.bytes[source * map.cells + destination];
      if (bytes == 0)
        continue;
      svg += fmt::format(
          "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" class=\"heat\" "
          "fill-opacity=\"{:.2f}\"><title>CTA {} \xe2\x86\x92 {}: {} bytes</title></rect>\n",
          left + cell * static_cast<double>(source), top + cell * static_cast<double>(destination), cell,
          cell, std::min(1.0, shade(bytes, most) * 1.4), range(source), range(destination), grouped(bytes));
    }
  return svg + kEndSvg;
}

std::string superstepBarsSvg(const std::vector<Bar> &all) {
  constexpr std::size_t kMost = 160;
  const std::size_t joined = (all.size() + kMost - 1) / kMost;
  std::vector<Bar> bars;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i % joined == 0)
      bars.push_back(all[i]);
    else {
      bars.back().read += all[i].read;
      bars.back().written += all[i].written;
    }
    if (joined > 1 && (i % joined == joined - 1 || i + 1 == all.size()))
      bars.back().title += " to " + all[i].title;
  }
  std::uint64_t most = 1;
  for (const Bar &bar : bars)
    most = std::max({most, bar.read, bar.written});
  const double width = 900, half = 84, left = 78;
  const double step = std::min(48.0, (width - left) / static_cast<double>(bars.size()));
  const auto tall = [&](std::uint64_t bytes) {
    return bytes == 0 ? 0 : std::max(1.5, half * static_cast<double>(bytes) / static_cast<double>(most));
  };
  std::string svg = startSvg(width, 2 * half + 12, 600, "Communication per launch");
  const double middle = half + 6;
  svg += fmt::format(
      "<text x=\"0\" y=\"16\" class=\"axis\">read</text><text x=\"0\" y=\"32\" class=\"num\">{0}</text>"
      "<text x=\"0\" y=\"{1}\" class=\"axis\">written</text><text x=\"0\" y=\"{2}\" class=\"num\">{0}</text>"
      "<line x1=\"{3}\" x2=\"{4}\" y1=\"{5}\" y2=\"{5}\" class=\"rule\"/>\n",
      bytesText(most), 2 * half - 10, 2 * half + 6, left, width, middle);
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const Bar &bar = bars[i];
    const double x = left + step * static_cast<double>(i), gap = step > 4 ? 1 : 0;
    svg +=
        fmt::format("<g><rect x=\"{0:.2f}\" y=\"0\" width=\"{1:.2f}\" height=\"{2}\" class=\"catch\"/>"
                    "<rect x=\"{3:.2f}\" y=\"{4:.2f}\" width=\"{5:.2f}\" height=\"{6:.2f}\" class=\"up\"/>"
                    "<rect x=\"{3:.2f}\" y=\"{7:.2f}\" width=\"{5:.2f}\" height=\"{8:.2f}\" class=\"down\"/>"
                    "<title>{9}: read {10} bytes of earlier launches, wrote {11} bytes that later ones "
                    "read</title></g>\n",
                    x, step, 2 * half + 12, x + gap, middle - tall(bar.read), step - 2 * gap, tall(bar.read),
                    middle, tall(bar.written), htmlText(bar.title), grouped(bar.read), grouped(bar.written));
  }
  return svg + kEndSvg;
}

} // namespace cupr::analysis
