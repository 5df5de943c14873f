#pragma once
// One of the library's residual laws, chosen at run time: from a model file, or on a command line. It answers
// every question that its law can answer, and refuses the others in a sentence.
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "mno/law/choice.hpp"
#include "mno/law/residual/compound_poisson.hpp"
#include "mno/law/residual/gaussian.hpp"
#include "mno/law/residual/laplace.hpp"
#include "mno/law/residual/scale_mixture.hpp"
#include "mno/law/residual/student_t.hpp"
#include "mno/law/residual/two_modes.hpp"

namespace mno {

class AnyResidual {
 public:
  using Laws = std::variant<Gaussian, StudentT, Laplace, CompoundPoisson, ScaleMixture, TwoModes>;

  AnyResidual() = default;  // Gaussian
  AnyResidual(Gaussian law) : law_(law) {}
  AnyResidual(StudentT law) : law_(law) {}
  AnyResidual(Laplace law) : law_(law) {}
  AnyResidual(CompoundPoisson law) : law_(law) {}
  AnyResidual(ScaleMixture law) : law_(std::move(law)) {}
  AnyResidual(TwoModes law) : law_(law) {}

  /// "gaussian", "student_t 5", "laplace", "compound_poisson 2", "scale_mixture W1 S1 W2 S2 …",
  /// "two_modes P DELTA"
  std::string text() const {
    if (const auto* law = std::get_if<StudentT>(&law_))
      return detail::Choice{"student_t", {law->nu()}}.text();
    if (const auto* law = std::get_if<CompoundPoisson>(&law_))
      return detail::Choice{"compound_poisson", {law->rate()}}.text();
    if (const auto* law = std::get_if<ScaleMixture>(&law_))
      return detail::Choice{"scale_mixture", law->numbers()}.text();
    if (const auto* law = std::get_if<TwoModes>(&law_))
      return detail::Choice{"two_modes", {law->p(), law->delta()}}.text();
    return std::holds_alternative<Laplace>(law_) ? "laplace" : "gaussian";
  }
  static AnyResidual parse(std::string_view text) {
    const auto choice = detail::Choice::parse("AnyResidual", text);
    if (choice.is("gaussian", 0)) return Gaussian{};
    if (choice.is("laplace", 0)) return Laplace{};
    if (choice.is("student_t", 1)) return StudentT(choice.numbers[0]);
    if (choice.is("two_modes", 2)) return TwoModes(choice.numbers[0], choice.numbers[1]);
    if (choice.name == "scale_mixture" && choice.numbers.size() % 2 == 0) {
      std::vector<double> weights, variances;
      for (std::size_t i = 0; i < choice.numbers.size(); ++i)
        (i % 2 ? variances : weights).push_back(choice.numbers[i]);
      return ScaleMixture(std::move(weights), std::move(variances));
    }
    require(choice.is("compound_poisson", 1), "AnyResidual", "text",
            Text("'gaussian', 'laplace', 'student_t NU', 'compound_poisson RATE', 'scale_mixture W1 S1 W2 S2 "
                 "…' or 'two_modes P DELTA'"),
            Text("'", text, "'"));
    return CompoundPoisson(choice.numbers[0]);
  }

  const Laws& held() const { return law_; }
  bool gaussian() const { return std::holds_alternative<Gaussian>(law_); }

  template <class = void> double draw_variance(Stream& stream) const {
    require(!leans(), "draw_variance", "law",
            Text("residuals with one scale per draw, such as 'student_t 5'"), Text(text()));
    return std::visit(
        [&](const auto& law) {
          if constexpr (requires { law.draw_variance(stream); })
            return double(law.draw_variance(stream));
          else
            return 1.0;
        },
        law_);
  }
  template <class = void> void draw(Stream& stream, std::span<double> xi) const {
    std::visit([&](const auto& law) { law.draw(stream, xi); }, law_);
  }
  template <class = void> double cdf(double z) const {
    return std::visit([&](const auto& law) { return double(law.cdf(z)); }, law_);
  }
  template <class = void> double exceedance(double z) const {
    return std::visit([&](const auto& law) { return double(law.exceedance(z)); }, law_);
  }
  template <class = void> double quantile(double p) const {
    return std::visit([&](const auto& law) { return double(law.quantile(p)); }, law_);
  }
  template <class = void> double crps(double z) const {
    return std::visit([&](const auto& law) { return double(law.crps(z)); }, law_);
  }
  template <class = void> double log_density(double q, double n) const {
    require(!std::holds_alternative<CompoundPoisson>(law_), "log_density", "law",
            Text("residuals with a density"), Text(text(), ", which has an atom"));
    require(!leans(), "log_density", "law", Text("residuals that are alike in every direction"),
            Text(text()));
    return std::visit(
        [&](const auto& law) {
          if constexpr (requires { law.log_density(q, n); })
            return law.log_density(q, n);
          else
            return 0.0;
        },
        law_);
  }
  template <class = void> double log_moment(double s) const {
    require(!std::holds_alternative<StudentT>(law_), "log_moment", "law",
            Text("residuals that have moments under this warp: ask for quantiles"), Text(text()));
    return std::visit(
        [&](const auto& law) {
          if constexpr (requires { law.log_moment(s); })
            return law.log_moment(s);
          else
            return 0.0;
        },
        law_);
  }
  double atom() const {
    const auto* jumps = std::get_if<CompoundPoisson>(&law_);
    return jumps ? jumps->atom() : 0;
  }

  // For a law that singles out one direction; under every other law all entries have one symmetric marginal.
  bool leans() const { return std::holds_alternative<TwoModes>(law_); }
  AnyResidual seen(double rho) const {
    const auto* law = std::get_if<TwoModes>(&law_);
    return law ? AnyResidual(law->seen(rho)) : *this;
  }
  bool symmetric() const { return !leans() || std::get<TwoModes>(law_).symmetric(); }
  std::array<detail::NormalPart, 2> parts() const {
    return leans() ? std::get<TwoModes>(law_).parts()
                   : std::array<detail::NormalPart, 2>{{{1, 0, 1}, {0, 0, 1}}};
  }
  template <class = void> double upper_quantile(double p) const {
    return std::visit([&](const auto& law) { return double(detail::upper_quantile(law, p)); }, law_);
  }
  template <class = void> double marginal_log_density(double z) const {
    if (const auto* law = std::get_if<TwoModes>(&law_)) return law->marginal_log_density(z);
    return log_density(z * z, 1);
  }

 private:
  Laws law_;
};

}  // namespace mno
