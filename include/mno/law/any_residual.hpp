#pragma once
// One of the library's residual laws, chosen at run time: from a model file, or on a command line. It answers
// what the law it holds answers, and refuses the rest in a sentence.
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "mno/law/choice.hpp"
#include "mno/law/residual/compound_poisson.hpp"
#include "mno/law/residual/gaussian.hpp"
#include "mno/law/residual/laplace.hpp"
#include "mno/law/residual/student_t.hpp"

namespace mno {

class AnyResidual {
 public:
  using Laws = std::variant<Gaussian, StudentT, Laplace, CompoundPoisson>;

  AnyResidual() = default;  // Gaussian
  AnyResidual(Gaussian law) : law_(law) {}
  AnyResidual(StudentT law) : law_(law) {}
  AnyResidual(Laplace law) : law_(law) {}
  AnyResidual(CompoundPoisson law) : law_(law) {}

  /// "gaussian", "student_t 5", "laplace", "compound_poisson 2"
  std::string text() const {
    if (const auto* law = std::get_if<StudentT>(&law_))
      return detail::Choice{"student_t", {law->nu()}}.text();
    if (const auto* law = std::get_if<CompoundPoisson>(&law_))
      return detail::Choice{"compound_poisson", {law->rate()}}.text();
    return std::holds_alternative<Laplace>(law_) ? "laplace" : "gaussian";
  }
  static AnyResidual parse(std::string_view text) {
    const auto choice = detail::Choice::parse("AnyResidual", text);
    if (choice.is("gaussian", 0)) return Gaussian{};
    if (choice.is("laplace", 0)) return Laplace{};
    if (choice.is("student_t", 1)) return StudentT(choice.numbers[0]);
    require(choice.is("compound_poisson", 1), "AnyResidual", "text",
            Text("'gaussian', 'laplace', 'student_t NU' or 'compound_poisson RATE'"), Text("'", text, "'"));
    return CompoundPoisson(choice.numbers[0]);
  }

  const Laws& held() const { return law_; }
  bool gaussian() const { return std::holds_alternative<Gaussian>(law_); }

  template <class = void> double draw_variance(Stream& stream) const {
    return std::visit([&](const auto& law) { return double(law.draw_variance(stream)); }, law_);
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

 private:
  Laws law_;
};

}  // namespace mno
