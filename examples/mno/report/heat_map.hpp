#pragma once
// Fields in 2D, side by side with one colour bar, so that equal colours are equal values. Values have the
// colours of viridis, whose lightness grows evenly and which the colour-blind can read. Errors, around zero,
// go from blue over white to red.
#include <algorithm>

#include "axis.hpp"
#include "png.hpp"
#include "run_record.hpp"

namespace mno::report {

inline constexpr int colour_levels = 64;

/// A scale of colours: so many levels, by straight lines between known colours.
inline std::vector<int> palette_of(const std::vector<int>& known) {
  std::vector<int> out;
  for (int level = 0; level < colour_levels; ++level) {
    const double at = double(level) * double(known.size() - 1) / (colour_levels - 1);
    const std::size_t i = std::min(std::size_t(at), known.size() - 2);
    int mixed = 0;
    for (const int shift : {16, 8, 0}) {
      const int a = known[i] >> shift & 255, b = known[i + 1] >> shift & 255;
      mixed |= int(std::lround(a + (at - double(i)) * (b - a))) << shift;
    }
    out.push_back(mixed);
  }
  return out;
}
inline const std::vector<int>& viridis() {
  static const auto colours =
      palette_of({0x440154, 0x481a6c, 0x472f7d, 0x414487, 0x39568c, 0x31688e, 0x2a788e, 0x23888e, 0x1f988b,
                  0x22a884, 0x35b779, 0x54c568, 0x7ad151, 0xa5db36, 0xd2e21b, 0xfde725});
  return colours;
}
inline const std::vector<int>& blue_to_red() {
  static const auto colours =
      palette_of({0x2166ac, 0x67a9cf, 0xd1e5f0, 0xf7f7f7, 0xfddbc7, 0xef8a62, 0xb2182b});
  return colours;
}

/// Means over blocks, so that no side is longer than `most`. Values that cannot be drawn are left out of a
/// mean.
inline Image reduced(const Image& image, int most = 96) {
  Image out = image;
  out.width = std::min(image.width, most);
  out.height = std::min(image.height, most);
  out.values.clear();
  const auto begin = [](int i, int size, int parts) { return int(std::int64_t(i) * size / parts); };
  for (int row = 0; row < out.height; ++row)
    for (int column = 0; column < out.width; ++column) {
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

/// The range of the values that share a bar; symmetric around zero if they are errors.
inline Axis common_axis(const std::vector<const Image*>& images) {
  Axis axis;
  for (const Image* image : images)
    for (const double value : reduced(*image).values) {
      axis.include(value);
      if (image->symmetric.value_or(false)) axis.include(-value);
    }
  if (!axis.empty()) axis.widen(0);
  return axis;
}

inline std::string picture_element(int width, int height, const std::vector<int>& pixels,
                                   const std::vector<int>& palette, const std::string& place) {
  return "<image " + place + " preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" " +
         "href=\"data:image/png;base64," + base64(png(width, height, pixels, palette)) + "\"/>\n";
}

/// The field itself; where there is no value, the grey behind it is seen.
inline std::string field_svg(const Image& image, const Axis& axis, const std::vector<int>& palette) {
  const Image small = reduced(image);
  std::vector<int> pixels;
  for (const double value : small.values)
    pixels.push_back(can_be_drawn(value)
                         ? std::clamp(int(axis.place(value) * colour_levels), 0, colour_levels - 1)
                         : colour_levels);
  const bool labelled = image.rows.has_value();
  // A field has the shape of its grid in a box of 160 × 160; rows with labels are 12 units high.
  const double scale = std::min(160.0 / image.width, 160.0 / image.height);
  const double width = labelled ? 300 : scale * image.width,
               height = labelled ? 12.0 * image.height : scale * image.height, left = labelled ? 40 : 0;
  const auto number = [](double x) { return fixed(x, 2); };
  std::string out = "<svg class=\"field" + std::string(labelled ? " wide" : "") + "\" viewBox=\"0 0 " +
                    number(left + width) + " " + number(height) + "\" role=\"img\" aria-label=\"" +
                    escape(image.title) + "\">\n<rect x=\"" + number(left) + "\" width=\"" + number(width) +
                    "\" height=\"" + number(height) + "\" fill=\"#cccccc\"/>\n" +
                    picture_element(small.width, small.height, pixels, palette,
                                    "x=\"" + number(left) + "\" width=\"" + number(width) + "\" height=\"" +
                                        number(height) + "\"");
  if (labelled) {
    out += "<g font-size=\"9\" fill=\"#333333\" text-anchor=\"end\">\n";
    for (std::size_t row = 0; row < image.rows->size(); ++row)
      out += "<text x=\"36\" y=\"" + number(12 * double(row) + 9) + "\">" + escape((*image.rows)[row]) +
             "</text>\n";
    out += "</g>\n";
  }
  return out + "</svg>\n";
}

inline std::string colour_bar(const Axis& axis, const std::vector<int>& palette) {
  std::vector<int> pixels;
  for (int level = colour_levels; level-- > 0;) pixels.push_back(level);
  std::string out =
      "<svg class=\"bar\" viewBox=\"0 0 70 160\" aria-hidden=\"true\">\n" +
      picture_element(1, colour_levels, pixels, palette, "x=\"1\" y=\"7\" width=\"14\" height=\"146\"") +
      "<g font-size=\"11\" fill=\"#333333\">\n";
  for (const Tick& tick : axis.ticks()) {
    const double y = 7 + 146 * (1 - axis.place(tick.value));
    out += "<path d=\"M15 " + fixed(y, 2) + "h4\" stroke=\"#555555\"/>\n<text x=\"22\" y=\"" +
           fixed(y + 4, 2) + "\">" + tick.label + "</text>\n";
  }
  return out + "</g>\n</svg>\n";
}

/// Fields that belong together with one bar; nothing, if no value can be drawn.
inline std::string panel(const std::string& title, const std::vector<const Image*>& images) {
  const Axis axis = common_axis(images);
  if (axis.empty()) return "";
  const auto& palette = images.front()->symmetric.value_or(false) ? blue_to_red() : viridis();
  std::string tiles, note;
  if (!axis.has_plain_labels()) note = "The bar is labelled by " + axis.labelled("value") + ". ";
  for (const Image* image : images) {
    tiles += "<div class=\"tile\">" + (image->title == title ? "" : "<p>" + escape(image->title) + "</p>") +
             "\n" + field_svg(*image, axis, palette) + "</div>\n";
    const Image small = reduced(*image);
    if (image == images.front() && (small.width != image->width || small.height != image->height))
      note += "Means over blocks of a grid of " + std::to_string(image->width) + " × " +
              std::to_string(image->height) + " points.";
  }
  return "<figure class=\"panel\">\n<figcaption>" + escape(title) + "</figcaption>\n<div class=\"tiles\">\n" +
         tiles + colour_bar(axis, palette) + "</div>\n" +
         (note.empty() ? "" : "<p class=\"note\">" + note + "</p>\n") + "</figure>\n";
}

/// All images: those that name the same panel share one. What stands before a '/' in its name is a heading.
inline std::string panels(const std::vector<Image>& images) {
  std::vector<std::pair<std::string, std::vector<const Image*>>> all;
  for (const Image& image : images) {
    const std::string& title = image.panel ? *image.panel : image.title;
    if (!image.panel || all.empty() || all.back().first != title) all.push_back({title, {}});
    all.back().second.push_back(&image);
  }
  std::string out, heading;
  for (const auto& [name, together] : all) {
    const std::size_t slash = together.front()->panel ? name.find('/') : name.npos;
    const std::string own = slash == name.npos ? "" : name.substr(0, slash),
                      drawn = panel(slash == name.npos ? name : name.substr(slash + 1), together);
    if (drawn.empty()) continue;
    if (out.empty() || own != heading)
      out += (out.empty() ? "" : "</div>\n") + (own.empty() ? "" : "<h3>" + escape(own) + "</h3>\n") +
             "<div class=\"panels\">\n";
    heading = own;
    out += drawn;
  }
  return out.empty() ? out : out + "</div>\n";
}

}  // namespace mno::report
