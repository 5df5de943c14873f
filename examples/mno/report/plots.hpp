#pragma once
// The plots of a record: which of its lists are lines, bands and bars of which figure.
#include <array>
#include <numbers>

#include "run_record.hpp"
#include "svg.hpp"

namespace mno::report {

inline constexpr double normal_quantile95 = 1.6448536269514722;  // a normal law has 90% within ± this

/// Logarithmic if everything is positive and of different sizes.
inline bool wants_logarithm(const std::vector<Line>& lines) {
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (const Line& line : lines)
    for (const double y : line.y)
      if (can_be_drawn(y)) {
        low = std::min(low, y);
        high = std::max(high, y);
      }
  return low > 1e-150 && high > 20 * low;
}

inline constexpr std::array colours{colour::blue,  colour::vermilion, colour::green, colour::purple,
                                    colour::black, colour::sky,       colour::orange};
inline constexpr std::array dashes{"", "6 3", "2 2", "8 3 2 3", "", "6 3", "2 2"};

/// Lines that the legend calls floor, theory, nominal or paper do not belong to a model: the first three are
/// grey, the last is orange.
inline Plot plot_of(const Figure& f) {
  Plot plot{.title = f.title,
            .note = f.note,
            .x_label = f.x_label,
            .y_label = f.y_label,
            .log_x = f.log_x,
            .log_y = f.log_y};
  std::size_t next = 0;
  for (const Curve& curve : f.lines) {
    Line line{.name = curve.name, .x = curve.x, .y = curve.y, .dots = true};
    if (curve.name.starts_with("floor") || curve.name.starts_with("theory") ||
        curve.name.starts_with("paper") || curve.name.starts_with("nominal")) {
      line.colour = curve.name.starts_with("paper") ? colour::orange : colour::grey;
      line.dashes = "4 3";
      line.width = 1.4;
      line.dots = curve.name.starts_with("paper");
    } else {
      line.colour = colours[next % colours.size()];
      line.dashes = dashes[next++ % dashes.size()];
    }
    plot.lines.push_back(std::move(line));
  }
  return plot;
}

inline std::string curve_figures(const std::vector<Curve>& curves) {
  std::vector<Plot> plots;
  for (const Curve& curve : curves) {
    const std::size_t slash = curve.name.find('/');
    const std::string title = slash == curve.name.npos ? "Over epochs" : curve.name.substr(0, slash);
    // A figure with more lines than colours is continued in another one.
    auto plot = std::find_if(plots.begin(), plots.end(), [&](const Plot& p) {
      return p.title == title && p.lines.size() < colours.size();
    });
    if (plot == plots.end()) plot = plots.insert(plots.end(), Plot{.title = title, .x_label = "epoch"});
    const std::size_t i = plot->lines.size();
    plot->lines.push_back({.name = slash == curve.name.npos ? curve.name : curve.name.substr(slash + 1),
                           .x = curve.x,
                           .y = curve.y,
                           .colour = colours[i],
                           .dashes = dashes[i]});
  }
  std::string out;
  for (Plot& plot : plots) {
    plot.log_y = wants_logarithm(plot.lines);
    out += figure(plot);
  }
  return out;
}

inline Band band90(const std::string& name, const Numbers& x, const Numbers& mean, const Numbers& deviation,
                   const char* colour) {
  Band band{.name = name, .x = x, .colour = colour};
  for (std::size_t i = 0; i < deviation.size(); ++i) {
    band.low.push_back(mean[i] - normal_quantile95 * deviation[i]);
    band.high.push_back(mean[i] + normal_quantile95 * deviation[i]);
  }
  if (deviation.empty()) band.x.clear(), band.name.clear();
  return band;
}

/// A curve without values is left out, so that it has no place in the legend.
inline void add_line(Plot& plot, Line line) {
  for (std::size_t i = 0; i < line.y.size(); ++i)
    if (can_be_drawn(line.x[i], plot.log_x) && can_be_drawn(line.y[i], plot.log_y)) {
      plot.lines.push_back(std::move(line));
      return;
    }
}

/// Without an ensemble there are only some draws, which are shown in the band themselves.
inline bool has_draws_only(const Example& e) { return e.truth_mean.empty() && !e.members.empty(); }

inline Plot mean_plot(const Example& e) {
  Plot plot{.title = "Mean and 90% band",
            .note = e.deviation.empty() && e.truth_deviation.empty()
                        ? ""
                        : "The bands are the mean ± 1.645 deviations.",
            .x_label = "x",
            .y_label = "u"};
  if (has_draws_only(e))
    for (std::size_t m = 0; m < e.members.size(); ++m)
      add_line(plot, {.name = m == 0 ? (e.members.size() == 1 ? "realisation" : "realisations") : "",
                      .x = e.x,
                      .y = e.members[m],
                      .colour = colour::vermilion,
                      .width = 1.4});
  add_line(plot, {.name = "initial state",
                  .x = e.x,
                  .y = e.initial,
                  .colour = colour::grey,
                  .dashes = "2 2",
                  .width = 1.2});
  add_line(plot, {.name = "predicted mean", .x = e.x, .y = e.mean});
  add_line(
      plot,
      {.name = "ensemble mean", .x = e.x, .y = e.truth_mean, .colour = colour::vermilion, .dashes = "6 3"});
  plot.bands.push_back(band90("predicted band", e.x, e.mean, e.deviation, colour::blue));
  plot.bands.push_back(band90("ensemble band", e.x, e.truth_mean, e.truth_deviation, colour::vermilion));
  return plot;
}

/// The error of the mean. The band shows what would be chance: the error of the ensemble's mean, by its
/// number of members, or of a draw, by the predicted law.
inline Plot error_plot(const Example& e) {
  const bool draws = has_draws_only(e);
  const Numbers& truth = draws ? e.members.front() : e.truth_mean;
  if (e.mean.empty() || truth.empty()) return {};
  Plot plot{.title = draws ? "Realisation − mean" : "Error of the mean",
            .x_label = "x",
            .y_label = draws ? "u − mean" : "mean − ensemble mean"};
  Line line{.name = draws ? "u − mean" : "error",
            .x = e.x,
            .y = {},
            .colour = draws ? colour::vermilion : colour::blue};
  for (std::size_t i = 0; i < truth.size(); ++i)
    line.y.push_back(draws ? truth[i] - e.mean[i] : e.mean[i] - truth[i]);
  add_line(plot, std::move(line));
  const double members = double(e.marginal_members.size());
  const Numbers zero(e.x.size(), 0.0);
  if (draws && !e.deviation.empty()) {
    plot.bands.push_back(band90("predicted, 90%", e.x, zero, e.deviation, colour::blue));
  } else if (members > 1 && !e.truth_deviation.empty()) {
    Numbers of_mean = e.truth_deviation;
    for (double& deviation : of_mean) deviation /= std::sqrt(members);
    plot.bands.push_back(band90("chance, 90%", e.x, zero, of_mean, colour::grey));
  }
  return plot;
}

inline Plot deviation_plot(const Example& e) {
  Plot plot{.title = "Deviation", .x_label = "x", .y_label = "deviation of u", .y_range = {0}};
  add_line(plot, {.name = "predicted", .x = e.x, .y = e.deviation});
  add_line(
      plot,
      {.name = "ensemble", .x = e.x, .y = e.truth_deviation, .colour = colour::vermilion, .dashes = "6 3"});
  return plot;
}

/// Paths minus their mean: the noise is often much smaller than the field.
inline std::vector<Numbers> fluctuations(const std::vector<Numbers>& paths, const Numbers& mean) {
  constexpr std::size_t most = 12;
  std::vector<Numbers> left(paths.begin(), paths.begin() + std::ptrdiff_t(std::min(most, paths.size())));
  if (!mean.empty())
    for (Numbers& path : left)
      for (std::size_t x = 0; x < path.size(); ++x) path[x] -= mean[x];
  return left;
}

/// Draws and members have the same range, so that they can be compared side by side.
inline Plot path_plot(const Example& e, const std::string& title, const std::vector<Numbers>& paths,
                      const Numbers& mean, const char* colour) {
  Plot plot{.title = title, .x_label = "x", .y_label = mean.empty() ? "u" : "u − mean"};
  const auto shown_paths = fluctuations(paths, mean);
  if (paths.size() > shown_paths.size())
    plot.note =
        "The first " + std::to_string(shown_paths.size()) + " of " + std::to_string(paths.size()) + ".";
  for (const auto& all :
       {fluctuations(e.draws, e.mean), fluctuations(e.members, has_draws_only(e) ? e.mean : e.truth_mean)})
    for (const Numbers& path : all) plot.y_range.insert(plot.y_range.end(), path.begin(), path.end());
  for (const Numbers& path : shown_paths)
    add_line(plot, {.x = e.x, .y = path, .colour = colour, .width = 1.1, .opacity = 0.7});
  return plot;
}

/// A histogram as a density. The number of bars grows with the square root of the number of values.
inline Bars histogram(const std::string& name, const Numbers& values) {
  Numbers sorted;
  std::copy_if(values.begin(), values.end(), std::back_inserter(sorted),
               [](double x) { return can_be_drawn(x); });
  Bars bars{.name = name};
  if (sorted.empty()) return {};
  std::sort(sorted.begin(), sorted.end());
  Axis axis;
  axis.include(sorted.front());
  axis.include(sorted.back());
  axis.widen(0);
  const std::size_t count =
      std::clamp(std::size_t(std::sqrt(double(sorted.size()))), std::size_t(5), std::size_t(40));
  const double width = (axis.high() - axis.low()) / double(count);
  bars.heights.assign(count, 0);
  for (std::size_t i = 0; i <= count; ++i) bars.edges.push_back(axis.low() + width * double(i));
  for (const double x : sorted)
    bars.heights[std::min(count - 1, std::size_t(axis.place(x) * double(count)))] +=
        1 / (width * double(sorted.size()));
  return bars;
}

inline Plot marginal_plot(const Example& e) {
  if (e.marginal_members.size() < 2) return {};
  const std::size_t point = std::size_t(e.marginal_point);
  Plot plot{.title = "Density of u at x = " + shown(e.x[point]),
            .x_label = "u",
            .y_label = "density",
            .y_range = {0}};
  plot.bars.push_back(
      histogram("ensemble, " + std::to_string(e.marginal_members.size()) + " members", e.marginal_members));
  if (e.deviation.empty() || !(e.deviation[point] > 0)) return plot;
  const double mean = e.mean[point], deviation = e.deviation[point];
  Line normal{.name = "normal law, predicted moments"};
  for (int i = -70; i <= 70; ++i) {
    const double z = i / 20.0;
    normal.x.push_back(mean + deviation * z);
    normal.y.push_back(std::exp(-z * z / 2) / (deviation * std::sqrt(2 * std::numbers::pi)));
  }
  add_line(plot, std::move(normal));
  return plot;
}

inline std::string example_figures(const Example& e) {
  return figure(mean_plot(e)) + figure(error_plot(e)) + figure(deviation_plot(e)) +
         figure(path_plot(e, "Draws of the prediction", e.draws, e.mean, colour::blue)) +
         (has_draws_only(e)
              ? ""
              : figure(path_plot(e, "Members of the ensemble", e.members, e.truth_mean, colour::vermilion))) +
         figure(marginal_plot(e));
}

inline std::string calibration_figure(const Calibration& c) {
  Plot plot{.title = "Coverage of central intervals",
            .note = "Below the diagonal the predicted intervals are too narrow, above it too wide.",
            .x_label = "nominal probability",
            .y_label = "fraction covered",
            .x_range = {0, 1},
            .y_range = {0, 1}};
  add_line(plot, {.name = "covered", .x = c.nominal, .y = c.covered, .dots = true});
  if (plot.lines.empty()) return "";
  plot.lines.insert(plot.lines.begin(), {.name = "as it should be",
                                         .x = {0, 1},
                                         .y = {0, 1},
                                         .colour = colour::grey,
                                         .dashes = "4 3",
                                         .width = 1.2});
  return figure(plot);
}

inline std::string pit_figure(const PitHistogram& pit) {
  if (pit.shares.empty()) return "";
  Plot plot{.title = "Where truths fall in the predicted law",
            .note =
                "Level: calibrated. High at both ends: too narrow; high in the middle: too wide; sloped: "
                "off to one side.",
            .x_label = "predicted probability below the truth",
            .y_label = "density",
            .x_range = {0, 1},
            .y_range = {0}};
  const double bins = double(pit.shares.size());
  Bars bars{.name = "truths", .colour = colour::blue};
  for (std::size_t i = 0; i <= pit.shares.size(); ++i) bars.edges.push_back(double(i) / bins);
  for (const double share : pit.shares) bars.heights.push_back(share * bins);
  plot.bars.push_back(std::move(bars));
  plot.lines.push_back({.name = "as it should be",
                        .x = {0, 1},
                        .y = {1, 1},
                        .colour = colour::grey,
                        .dashes = "4 3",
                        .width = 1.2});
  return figure(plot);
}

inline std::string spectra_figures(const Spectra& s) {
  std::string out;
  const auto add = [&](const char* title, const Numbers& predicted, const Numbers& truth) {
    Plot plot{.title = title, .x_label = "wavenumber", .y_label = "power", .log_x = true, .log_y = true};
    add_line(plot, {.name = "predicted", .x = s.wavenumber, .y = predicted});
    add_line(
        plot,
        {.name = "ensemble", .x = s.wavenumber, .y = truth, .colour = colour::vermilion, .dashes = "6 3"});
    out += figure(plot);
  };
  add("Spectrum of the mean", s.mean, s.truth_mean);
  add("Spectrum of the variance", s.variance, s.truth_variance);
  return out;
}

}  // namespace mno::report
