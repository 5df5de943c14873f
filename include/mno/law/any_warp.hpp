#pragma once
// One of the library's warps, chosen at run time: from a model file, or on a command line. Unless the warp is
// the identity, questions that a warped law cannot answer are refused in a sentence.
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "mno/law/choice.hpp"
#include "mno/law/warp/asinh.hpp"
#include "mno/law/warp/log.hpp"

namespace mno {

class AnyWarp {
 public:
  using Warps = std::variant<Unwarped, LogWarp, AsinhWarp>;

  AnyWarp() = default;  // Unwarped
  AnyWarp(Unwarped warp) : warp_(warp) {}
  AnyWarp(LogWarp warp) : warp_(warp) {}
  AnyWarp(AsinhWarp warp) : warp_(std::move(warp)) {}

  /// "unwarped", "log", "asinh 2", "asinh 1 2.5" with a scale per channel
  std::string text() const {
    if (const auto* warp = std::get_if<AsinhWarp>(&warp_))
      return detail::Choice{"asinh", warp->scales()}.text();
    return std::holds_alternative<LogWarp>(warp_) ? "log" : "unwarped";
  }
  static AnyWarp parse(std::string_view text) {
    const auto choice = detail::Choice::parse("AnyWarp", text);
    if (choice.is("unwarped", 0)) return Unwarped{};
    if (choice.is("log", 0)) return LogWarp{};
    require(choice.name == "asinh" && !choice.numbers.empty(), "AnyWarp", "text",
            Text("'unwarped', 'log', 'asinh SCALE' or 'asinh' with a scale per channel"),
            Text("'", text, "'"));
    return AsinhWarp(choice.numbers);
  }

  const Warps& held() const { return warp_; }
  bool identity() const { return std::holds_alternative<Unwarped>(warp_); }
  bool exponential() const { return !identity(); }

  template <class = void> double map(double z, Index channel) const {
    return std::visit([&](const auto& warp) { return warp.map(z, channel); }, warp_);
  }
  template <class = void> double inverse(double u, Index channel) const {
    return std::visit([&](const auto& warp) { return warp.inverse(u, channel); }, warp_);
  }
  template <class = void> double slope(double z, Index channel) const {
    return std::visit([&](const auto& warp) { return warp.slope(z, channel); }, warp_);
  }
  template <class R> MeanAndVariance moments(double m, double sd, Index channel, const R& residual) const {
    if constexpr (requires { residual.log_moment(1.0); }) {
      if (const auto* warp = std::get_if<LogWarp>(&warp_)) return warp->moments(m, sd, channel, residual);
      if (const auto* warp = std::get_if<AsinhWarp>(&warp_)) return warp->moments(m, sd, channel, residual);
    }
    require(
        identity(), "moments", "law",
        Text("residuals with log_moment(s), without which a warped law has no moments: ask for quantiles"),
        Text("the warp ", text()));
    return {m, sd * sd};
  }
  void require_channels(Index channels) const {
    if (const auto* warp = std::get_if<AsinhWarp>(&warp_)) warp->require_channels(channels);
  }

 private:
  Warps warp_;
};

}  // namespace mno
