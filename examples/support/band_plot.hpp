#pragma once
// A picture of a one-dimensional law as an SVG file: u_0, the mean with its band, and some draws.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <mno/core/field.hpp>
#include <string>

inline void write_band_plot(const std::filesystem::path& file, const std::string& title,
                            const mno::Field<float, 1>& initial, const mno::Field<float, 1>& mean,
                            const mno::Field<float, 1>& low, const mno::Field<float, 1>& high,
                            const mno::Field<float, 1>& draws) {
  const double width = 720, height = 400, left = 50, top = 40, right = 20, bottom = 40;
  float smallest = low(0, 0, 0), largest = high(0, 0, 0);
  for (const auto* field : {&initial, &mean, &low, &high, &draws})
    for (const float value : field->span()) {
      smallest = std::min(smallest, value);
      largest = std::max(largest, value);
    }
  const mno::Index points = mean.points();
  const auto x = [&](mno::Index p) { return left + (width - left - right) * double(p) / double(points - 1); };
  const auto y = [&](double value) {
    return top + (height - top - bottom) * (largest - value) / std::max(1e-12, double(largest - smallest));
  };
  const auto path = [&](const mno::Field<float, 1>& field, mno::Index sample) {
    std::string d;
    for (mno::Index p = 0; p < points; ++p)
      d += (p ? " L" : "M") + std::to_string(x(p)) + "," + std::to_string(y(field(sample, p, 0)));
    return d;
  };
  std::string band = path(high, 0);
  for (mno::Index p = points; p-- > 0;)
    band += " L" + std::to_string(x(p)) + "," + std::to_string(y(low(0, p, 0)));

  std::ofstream svg(file);
  svg << "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 " << width << ' ' << height
      << "' font-family='sans-serif' font-size='13'>\n<rect width='100%' height='100%' fill='white'/>\n"
      << "<text x='" << left << "' y='24' font-size='16'>" << title << "</text>\n"
      << "<path d='" << band << " Z' fill='#9ecae1' opacity='0.6'/>\n";
  for (mno::Index s = 0; s < draws.batch(); ++s)
    svg << "<path d='" << path(draws, s) << "' fill='none' stroke='#6baed6' stroke-width='0.8'/>\n";
  svg << "<path d='" << path(initial, 0) << "' fill='none' stroke='#636363' stroke-dasharray='5 4'/>\n"
      << "<path d='" << path(mean, 0) << "' fill='none' stroke='#08519c' stroke-width='2'/>\n"
      << "<g stroke='#636363'><line x1='" << left << "' y1='" << height - bottom << "' x2='" << width - right
      << "' y2='" << height - bottom << "'/><line x1='" << left << "' y1='" << top << "' x2='" << left
      << "' y2='" << height - bottom << "'/></g>\n";
  for (const double value : {double(smallest), 0.5 * (smallest + largest), double(largest)}) {
    char label[32];
    std::snprintf(label, sizeof label, "%.2f", value);
    svg << "<text x='" << left - 6 << "' y='" << y(value) + 4 << "' text-anchor='end'>" << label
        << "</text>\n";
  }
  svg << "<text x='" << width - right << "' y='" << height - 12
      << "' text-anchor='end'>dashed: u₀ · line: mean · "
      << "band: 90% · thin: draws · x from 0 to 1</text>\n</svg>\n";
}
