#pragma once
// A field in 2D as SVG: squares of at most 64 × 64, coloured by viridis, whose lightness grows evenly and
// which the colour-blind can read.
#include <array>

#include "axis.hpp"
#include "run_record.hpp"

namespace mno::report {

inline constexpr int colour_levels = 64;

/// The colour of level 0 … colour_levels - 1, by viridis at sixteen places and straight lines between them.
inline std::string viridis(int level) {
  static constexpr std::array<int, 16> known = {0x440154, 0x481a6c, 0x472f7d, 0x414487, 0x39568c, 0x31688e,
                                                0x2a788e, 0x23888e, 0x1f988b, 0x22a884, 0x35b779, 0x54c568,
                                                0x7ad151, 0xa5db36, 0xd2e21b, 0xfde725};
  const double at = double(level) * (known.size() - 1) / (colour_levels - 1);
  const std::size_t i = std::min(std::size_t(at), known.size() - 2);
  std::string out = "#";
  for (const int shift : {16, 8, 0}) {
    const int a = known[i] >> shift & 255, b = known[i + 1] >> shift & 255;
    const int mixed = int(std::lround(a + (at - double(i)) * (b - a)));
    for (const int digit : {mixed >> 4, mixed & 15}) out += "0123456789abcdef"[digit];
  }
  return out;
}

/// Means over blocks, so that no side is longer than `most`. What cannot be drawn is left out of a mean.
inline Image reduced(const Image& image, int most = 64) {
  const auto parts = [most](int size) { return std::min(size, most); };
  Image out{image.title, parts(image.width), parts(image.height), {}};
  for (int row = 0; row < out.height; ++row)
    for (int column = 0; column < out.width; ++column) {
      const auto begin = [](int i, int size, int parts) { return int(std::int64_t(i) * size / parts); };
      double sum = 0;
      int count = 0;
      for (int y = begin(row, image.height, out.height); y < begin(row + 1, image.height, out.height); ++y)
        for (int x = begin(column, image.width, out.width); x < begin(column + 1, image.width, out.width);
             ++x) {
          const double value = image.values[std::size_t(y) * std::size_t(image.width) + std::size_t(x)];
          if (!can_be_drawn(value)) continue;
          sum += value;
          ++count;
        }
      out.values.push_back(count ? sum / count : std::numeric_limits<double>::quiet_NaN());
    }
  return out;
}

/// Squares of one colour are one path. They overlap a little, as viewers of print would show seams. Where
/// there is no value, the grey behind them is seen.
inline std::string squares(const Image& image, const Axis& axis, double overlap) {
  const std::string side = fixed(1 + overlap, 3), square = "h" + side + "v" + side + "h-" + side + "z";
  std::array<std::string, std::size_t(colour_levels)> paths;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) {
      const double value = image.values[std::size_t(y * image.width + x)];
      if (!can_be_drawn(value)) continue;
      const int level = std::clamp(int(axis.place(value) * colour_levels), 0, colour_levels - 1);
      paths[std::size_t(level)] += "M" + std::to_string(x) + " " + std::to_string(y) + square;
    }
  std::string out;
  for (int level = 0; level < colour_levels; ++level)
    if (const std::string& path = paths[std::size_t(level)]; !path.empty())
      out += "<path fill=\"" + viridis(level) + "\" d=\"" + path + "\"/>\n";
  return out;
}

/// The field with its colour bar; nothing, if no value can be drawn.
inline std::string figure(const Image& image) {
  const Image small = reduced(image);
  Axis axis;
  for (const double value : small.values) axis.include(value);
  if (axis.empty()) return "";
  axis.widen(0);

  // The field has the shape of its grid in a box of 270 × 230, the bar stands right of it.
  const double scale = std::min(270.0 / image.width, 230.0 / image.height);
  const double width = scale * image.width, height = scale * image.height, total = std::max(height, 120.0);
  const double bar = width + 14, top = 8;
  const auto number = [](double x) { return fixed(x, 2); };
  std::string out = "<svg class=\"plot\" viewBox=\"0 0 " + number(360) + " " + number(total + 2 * top) +
                    "\" role=\"img\" aria-label=\"" + escape(image.title) + "\">\n" +
                    "<g transform=\"translate(1 " + number(top) + ") scale(" + fixed(width / small.width, 5) +
                    " " + fixed(height / small.height, 5) + ")\" shape-rendering=\"crispEdges\">\n" +
                    "<rect width=\"" + std::to_string(small.width) + "\" height=\"" +
                    std::to_string(small.height) + "\" fill=\"#cccccc\"/>\n" +
                    squares(small, axis, std::min(0.2, 0.5 * small.width / width)) + "</g>\n";
  out += "<g shape-rendering=\"crispEdges\">\n";
  for (int level = 0; level < colour_levels; ++level)
    out += "<rect x=\"" + number(bar) + "\" y=\"" +
           number(top + total * (colour_levels - 1 - level) / colour_levels) + "\" width=\"14\" height=\"" +
           number(total / colour_levels + 0.3) + "\" fill=\"" + viridis(level) + "\"/>\n";
  out += "</g>\n<g font-size=\"11\" fill=\"#333333\">\n";
  for (const Tick& tick : axis.ticks()) {
    const double y = top + total * (1 - axis.place(tick.value));
    out += "<path d=\"M" + number(bar + 14) + " " + number(y) + "h4\" stroke=\"#555555\"/>\n<text x=\"" +
           number(bar + 21) + "\" y=\"" + number(y + 4) + "\">" + tick.label + "</text>\n";
  }
  out += "</g>\n</svg>\n";
  std::string note = axis.has_plain_labels() ? "" : "The bar is labelled by " + axis.labelled("value") + ". ";
  if (small.width != image.width || small.height != image.height)
    note += "Means over blocks of a grid of " + std::to_string(image.width) + " × " +
            std::to_string(image.height) + " points.";
  return "<figure>\n<figcaption>" + escape(image.title) + "</figcaption>\n" + out +
         (note.empty() ? "" : "<p class=\"note\">" + note + "</p>\n") + "</figure>\n";
}

}  // namespace mno::report
