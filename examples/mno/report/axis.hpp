#pragma once
// An axis: the range of the values, where its ticks are and what they are called.
#include <algorithm>
#include <limits>
#include <vector>

#include "text.hpp"

namespace mno::report {

/// Is the value of such a size that differences and ratios of any two are finite? Others are gaps.
inline bool can_be_drawn(double x, bool logarithmic = false) {
  return std::isfinite(x) && std::abs(x) < 1e150 && (!logarithmic || x > 1e-150);
}

struct Tick {
  double value = 0;
  std::string label = {};
};

class Axis {
 public:
  explicit Axis(bool logarithmic = false) : logarithmic_(logarithmic) {}

  void include(double x) {
    if (!can_be_drawn(x, logarithmic_)) return;
    low_ = std::min(low_, x);
    high_ = std::max(high_, x);
  }
  bool empty() const { return low_ > high_; }
  bool logarithmic() const { return logarithmic_; }
  double low() const { return low_; }
  double high() const { return high_; }

  /// Some room beyond the values on both sides, as a fraction of their range. A single value gets room too.
  void widen(double fraction) {
    if (logarithmic_) {
      const double room = std::max(fraction * std::log10(high_ / low_), high_ / low_ < 1 + 1e-9 ? 0.5 : 0);
      low_ *= std::pow(10, -room);
      high_ *= std::pow(10, room);
      return;
    }
    const double size = std::max(std::abs(low_), std::abs(high_));
    const bool single = high_ - low_ <= std::max(1e-9 * size, 1e-150);
    const double room = single ? (size < 1e-140 ? 1 : 0.1 * size) : fraction * (high_ - low_);
    low_ -= room;
    high_ += room;
  }

  /// 0 at the low end and 1 at the high end.
  double place(double x) const {
    if (!logarithmic_) return (x - low_) / (high_ - low_);
    return (std::log(x) - std::log(low_)) / (std::log(high_) - std::log(low_));
  }

  /// What the labels of the ticks stand for: "u", or "u / 10⁻⁵" and "u − 1000" where they would be too long.
  std::string labelled(std::string name) const {
    if (const double from = base(); from != 0) {
      name = from < 0 ? name + " + " + shown(-from, 12) : name + " − " + shown(from, 12);
      if (exponent()) name = "(" + name + ")";
    }
    return exponent() ? name + " / " + power_of_ten(exponent()) : name;
  }
  bool has_plain_labels() const { return base() == 0 && exponent() == 0; }

  std::vector<Tick> ticks(int wanted = 5) const { return logarithmic_ ? decades(wanted) : steps(wanted); }

 private:
  /// Tick labels far from zero have too many digits in common; this number is subtracted from them.
  double base() const {
    if (logarithmic_ || high_ - low_ > 0.01 * std::max(std::abs(low_), std::abs(high_))) return 0;
    return std::ceil(low_ / step(5)) * step(5);
  }
  /// The power of ten that is taken out of the labels of very large and very small values.
  int exponent() const {
    const double size = std::max(std::abs(low_ - base()), std::abs(high_ - base()));
    const int e = int(std::floor(std::log10(size)));
    return !logarithmic_ && (e > 4 || e < -2) ? e : 0;
  }
  /// 1, 2 or 5 times a power of ten.
  double step(int wanted) const {
    const double rough = (high_ - low_) / wanted, power = std::pow(10, std::floor(std::log10(rough)));
    const double part = rough / power;
    return power * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
  }
  std::vector<Tick> steps(int wanted) const {
    const double by = step(wanted), from = base(), unit = std::pow(10, exponent());
    const int decimals = std::clamp(int(std::ceil(-std::log10(by / unit) - 1e-9)), 0, 10);
    std::vector<Tick> out;
    for (double i = std::ceil(low_ / by - 1e-9); i * by <= high_ + 1e-9 * by && out.size() < 20; ++i)
      out.push_back({i * by, with_minus(fixed((i * by - from) / unit, decimals))});
    return out;
  }
  /// Powers of ten; for a short range also 2 and 5 times these, or steps.
  std::vector<Tick> decades(int wanted) const {
    const int first = int(std::ceil(std::log10(low_) - 1e-9)),
              last = int(std::floor(std::log10(high_) + 1e-9));
    const int stride = std::max(1, (last - first + wanted) / (wanted + 1));
    std::vector<Tick> out;
    if (last - first >= 2) {
      for (int e = first; e <= last; e += stride)
        out.push_back({std::pow(10, e), e >= -2 && e <= 3 ? shown(std::pow(10, e)) : power_of_ten(e)});
      return out;
    }
    for (int e = first - 1; e <= last; ++e)
      for (const int factor : {1, 2, 5}) {
        const double value = factor * std::pow(10, e);
        if (value >= low_ * (1 - 1e-9) && value <= high_ * (1 + 1e-9)) out.push_back({value, shown(value)});
      }
    if (out.size() >= 2) return out;
    Axis linear;
    linear.include(low_);
    linear.include(high_);
    out = linear.steps(4);
    for (Tick& tick : out) tick.label = shown(tick.value);
    return out;
  }

  bool logarithmic_;
  double low_ = std::numeric_limits<double>::infinity();
  double high_ = -std::numeric_limits<double>::infinity();
};

}  // namespace mno::report
