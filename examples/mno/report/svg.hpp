#pragma once
// Plots as figures of HTML: the drawing is SVG, the legend is text of the page, so that it stays readable
// when the drawing shrinks to the width of a phone.
//   figure({.title = "Loss", .x_label = "epoch", .log_y = true,
//           .lines = {{.name = "train", .x = x, .y = y}}});
#include "axis.hpp"

namespace mno::report {

/// The colours of Okabe and Ito, which the colour-blind can tell apart. Dashes tell lines apart in grey
/// print.
namespace colour {
inline constexpr const char *blue = "#0072b2", *vermilion = "#d55e00", *green = "#009e73",
                            *purple = "#cc79a7", *orange = "#e69f00", *sky = "#56b4e9", *black = "#222222",
                            *grey = "#777777";
}

struct Line {
  std::string name = {};  // in the legend, if not empty
  std::vector<double> x = {}, y = {};
  std::string colour = colour::blue;
  std::string dashes = {};  // as in stroke-dasharray
  double width = 1.8;
  double opacity = 1;
  bool dots = false;
};
struct Band {
  std::string name = {};
  std::vector<double> x = {}, low = {}, high = {};
  std::string colour = colour::blue;
};
struct Bars {
  std::string name = {};
  std::vector<double> edges = {}, heights = {};  // one edge more than heights
  std::string colour = colour::orange;
};
struct Plot {
  std::string title = {}, note = {};
  std::string x_label = {}, y_label = {};
  bool log_x = false, log_y = false;
  std::vector<double> x_range = {}, y_range = {};  // values that the axes include
  std::vector<Bars> bars = {};
  std::vector<Band> bands = {};
  std::vector<Line> lines = {};
};

/// Draws in a box of 360 × 240 units; the labels are of 11 units.
class Drawing {
 public:
  explicit Drawing(const Plot& plot) : plot_(plot), x_(plot.log_x), y_(plot.log_y) {
    const auto include = [this](double x, double y) {
      if (!can_be_drawn(x, plot_.log_x) || !can_be_drawn(y, plot_.log_y)) return;
      x_.include(x);
      y_.include(y);
    };
    for (const Line& line : plot.lines)
      for (std::size_t i = 0; i < line.x.size(); ++i) include(line.x[i], line.y[i]);
    for (const Band& band : plot.bands)
      for (std::size_t i = 0; i < band.x.size(); ++i)
        for (const double y : {band.low[i], band.high[i]}) include(band.x[i], y);
    for (const Bars& bars : plot.bars)
      for (std::size_t i = 0; i < bars.heights.size(); ++i) {
        include(bars.edges[i], bars.heights[i]);
        include(bars.edges[i + 1], 0);
      }
    if (empty()) return;
    for (const double x : plot.x_range) x_.include(x);
    for (const double y : plot.y_range) y_.include(y);
    x_.widen(0);
    y_.widen(plot.bars.empty() ? 0.05 : 0);
  }
  bool empty() const { return x_.empty() || y_.empty(); }

  std::string svg() const {
    std::string out = "<svg class=\"plot\" viewBox=\"0 0 360 240\" role=\"img\" aria-label=\"" +
                      escape(plot_.title) + "\">\n" + axes();
    for (const Bars& bars : plot_.bars) out += drawn(bars);
    for (const Band& band : plot_.bands) out += drawn(band);
    for (const Line& line : plot_.lines) out += drawn(line);
    return out + "</svg>\n";
  }

 private:
  static constexpr double left = 52, right = 350, top = 14, bottom = 200;
  struct Point {
    double x, y;
    std::string text() const { return fixed(x, 1) + " " + fixed(y, 1); }
  };
  double across(double x) const { return left + (right - left) * x_.place(x); }
  double down(double y) const { return bottom - (bottom - top) * y_.place(y); }
  bool can_be_drawn_here(double x, double y) const {
    return can_be_drawn(x, plot_.log_x) && can_be_drawn(y, plot_.log_y);
  }

  /// The stretches between gaps.
  std::vector<std::vector<Point>> stretches(const std::vector<double>& x,
                                            const std::vector<double>& y) const {
    std::vector<std::vector<Point>> out(1);
    for (std::size_t i = 0; i < x.size(); ++i)
      if (can_be_drawn_here(x[i], y[i]))
        out.back().push_back({across(x[i]), down(y[i])});
      else if (!out.back().empty())
        out.emplace_back();
    if (out.back().empty()) out.pop_back();
    return out;
  }
  /// A long line looks the same if only the first, the extreme and the last points of each half unit are
  /// kept.
  static std::vector<Point> thinned(const std::vector<Point>& points) {
    if (points.size() < 1000) return points;
    std::vector<Point> out;
    for (std::size_t begin = 0, end; begin < points.size(); begin = end) {
      const auto column = [&](std::size_t i) { return std::floor(2 * points[i].x); };
      for (end = begin + 1; end < points.size() && column(end) == column(begin);) ++end;
      const auto [low, high] =
          std::minmax_element(points.begin() + std::ptrdiff_t(begin), points.begin() + std::ptrdiff_t(end),
                              [](const Point& a, const Point& b) { return a.y < b.y; });
      std::vector<std::size_t> kept{begin, std::size_t(low - points.begin()),
                                    std::size_t(high - points.begin()), end - 1};
      std::sort(kept.begin(), kept.end());
      kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
      for (const std::size_t i : kept) out.push_back(points[i]);
    }
    return out;
  }

  std::string drawn(const Line& line) const {
    std::string path, dots;
    for (const auto& stretch : stretches(line.x, line.y)) {
      char step = 'M';
      for (const Point& p : thinned(stretch)) {
        path += step + p.text();
        step = 'L';
      }
      if (line.dots || stretch.size() == 1)  // a single point has no line
        for (const Point& p : stretch)
          dots += "<circle cx=\"" + fixed(p.x, 1) + "\" cy=\"" + fixed(p.y, 1) + "\" r=\"2.5\" fill=\"" +
                  escape(line.colour) + "\"/>\n";
    }
    if (path.empty()) return "";
    return "<path d=\"" + path + "\" fill=\"none\" stroke=\"" + escape(line.colour) + "\" stroke-width=\"" +
           fixed(line.width, 1) + "\" stroke-linejoin=\"round\"" + dash(line) +
           (line.opacity < 1 ? " opacity=\"" + fixed(line.opacity, 2) + "\"" : "") + "/>\n" + dots;
  }
  std::string drawn(const Band& band) const {
    // Gaps are where either edge has one.
    std::vector<double> low = band.low, high = band.high;
    for (std::size_t i = 0; i < low.size(); ++i)
      if (!can_be_drawn_here(band.x[i], low[i]) || !can_be_drawn_here(band.x[i], high[i]))
        low[i] = high[i] = std::numeric_limits<double>::quiet_NaN();
    const auto lower = stretches(band.x, low), upper = stretches(band.x, high);
    std::string path;
    for (std::size_t s = 0; s < lower.size(); ++s) {
      char step = 'M';
      for (const Point& p : thinned(upper[s])) {
        path += step + p.text();
        step = 'L';
      }
      const std::vector<Point> back = thinned(lower[s]);
      for (auto p = back.rbegin(); p != back.rend(); ++p) path += 'L' + p->text();
      path += 'Z';
    }
    if (path.empty()) return "";
    return "<path d=\"" + path + "\" fill=\"" + escape(band.colour) + "\" fill-opacity=\"0.2\" stroke=\"" +
           escape(band.colour) + "\" stroke-opacity=\"0.6\" stroke-width=\"0.7\"/>\n";
  }
  std::string drawn(const Bars& bars) const {
    std::string out;
    for (std::size_t i = 0; i < bars.heights.size(); ++i) {
      if (!can_be_drawn_here(bars.edges[i], bars.heights[i]) || !can_be_drawn(bars.edges[i + 1])) continue;
      const double x = across(bars.edges[i]), y = down(bars.heights[i]);
      out += "<rect x=\"" + fixed(x, 1) + "\" y=\"" + fixed(y, 1) + "\" width=\"" +
             fixed(across(bars.edges[i + 1]) - x, 1) + "\" height=\"" + fixed(bottom - y, 1) + "\" fill=\"" +
             escape(bars.colour) + "\" fill-opacity=\"0.45\" stroke=\"#ffffff\" stroke-width=\"0.5\"/>\n";
    }
    return out;
  }

  std::string axes() const {
    std::string grid, labels;
    for (const Tick& tick : x_.ticks()) {
      const std::string x = fixed(across(tick.value), 1);
      grid += "M" + x + " " + fixed(top, 0) + "V" + fixed(bottom + 4, 0);
      labels += text(x, fixed(bottom + 16, 0), "middle", tick.label);
    }
    for (const Tick& tick : y_.ticks()) {
      const double y = down(tick.value);
      grid += "M" + fixed(left - 4, 0) + " " + fixed(y, 1) + "H" + fixed(right, 0);
      labels += text(fixed(left - 7, 0), fixed(y + 4, 1), "end", tick.label);
    }
    const auto name = [](const std::string& label, const Axis& axis) {
      return escape(axis.labelled(label.empty() && !axis.has_plain_labels() ? "value" : label));
    };
    labels += text(fixed((left + right) / 2, 0), "233", "middle", name(plot_.x_label, x_));
    labels += "<text transform=\"translate(11 " + fixed((top + bottom) / 2, 0) +
              ") rotate(-90)\" text-anchor=\"middle\">" + name(plot_.y_label, y_) + "</text>\n";
    return "<path d=\"" + grid + "\" stroke=\"#dddddd\" fill=\"none\"/>\n<path d=\"M" + fixed(left, 0) + " " +
           fixed(top, 0) + "V" + fixed(bottom, 0) + "H" + fixed(right, 0) +
           "\" stroke=\"#555555\" fill=\"none\"/>\n<g font-size=\"11\" fill=\"#333333\">\n" + labels +
           "</g>\n";
  }
  static std::string text(const std::string& x, const std::string& y, const char* anchor,
                          const std::string& content) {
    return "<text x=\"" + x + "\" y=\"" + y + "\" text-anchor=\"" + anchor + "\">" + content + "</text>\n";
  }

 public:
  static std::string dash(const Line& line) {
    return line.dashes.empty() ? "" : " stroke-dasharray=\"" + escape(line.dashes) + "\"";
  }

 private:
  const Plot& plot_;
  Axis x_, y_;
};

inline std::string legend(const Plot& plot) {
  std::string items;
  const auto item = [&](const std::string& name, const std::string& mark) {
    if (!name.empty())
      items += "<li><svg class=\"mark\" viewBox=\"0 0 26 12\" aria-hidden=\"true\">" + mark + "</svg>" +
               escape(name) + "</li>\n";
  };
  const auto box = [](const std::string& fill, const char* opacity) {
    return "<rect x=\"1\" y=\"1\" width=\"24\" height=\"10\" fill=\"" + escape(fill) + "\" fill-opacity=\"" +
           opacity + "\"/>";
  };
  for (const Line& line : plot.lines)
    item(line.name, "<path d=\"M0 6H26\" stroke=\"" + escape(line.colour) + "\" stroke-width=\"" +
                        fixed(std::max(1.5, line.width), 1) + "\"" + Drawing::dash(line) + "/>");
  for (const Band& band : plot.bands) item(band.name, box(band.colour, "0.3"));
  for (const Bars& bars : plot.bars) item(bars.name, box(bars.colour, "0.45"));
  return items.empty() ? "" : "<ul class=\"legend\">\n" + items + "</ul>\n";
}

/// Nothing, if there is no value that can be drawn.
inline std::string figure(const Plot& plot) {
  const Drawing drawing(plot);
  if (drawing.empty()) return "";
  return "<figure>\n<figcaption>" + escape(plot.title) + "</figcaption>\n" + legend(plot) + drawing.svg() +
         (plot.note.empty() ? "" : "<p class=\"note\">" + escape(plot.note) + "</p>\n") + "</figure>\n";
}

/// A file of its own, with title and legend inside; nothing, if there is no value that can be drawn.
inline std::string picture(const Plot& plot) {
  const Drawing drawing(plot);
  if (drawing.empty()) return "";
  std::string legend;
  int named = 0;
  for (const Line& line : plot.lines) {
    if (line.name.empty()) continue;
    const int x = 52 + 155 * (named % 2), y = 36 + 15 * (named / 2);
    legend += "<path d=\"M" + std::to_string(x) + " " + std::to_string(y - 4) + "h22\" stroke=\"" +
              escape(line.colour) + "\" stroke-width=\"" + fixed(std::max(1.5, line.width), 1) + "\"" +
              Drawing::dash(line) + "/>\n<text x=\"" + std::to_string(x + 27) + "\" y=\"" +
              std::to_string(y) + "\">" + escape(line.name) + "</text>\n";
    ++named;
  }
  const int top = 30 + 15 * ((named + 1) / 2);
  std::string inner = drawing.svg();
  const std::string_view begin = "<svg class=\"plot\"";
  inner.replace(0, begin.size(), "<svg y=\"" + std::to_string(top) + "\" width=\"360\" height=\"240\"");
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 360 " + std::to_string(top + 240) +
         "\" width=\"540\" font-family=\"system-ui,sans-serif\">\n<rect width=\"360\" height=\"" +
         std::to_string(top + 240) + "\" fill=\"#ffffff\"/>\n<text x=\"52\" y=\"18\" font-size=\"13\" " +
         "font-weight=\"600\" fill=\"#222222\">" + escape(plot.title) +
         "</text>\n<g font-size=\"11\" fill=\"#333333\">\n" + legend + "</g>\n" + inner + "</svg>\n";
}

}  // namespace mno::report
