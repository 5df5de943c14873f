// A layer of your own: its forward, its adjoint, the oracle's verdict, and a model that uses it.
#include <iostream>
#include <mno/expression/oracle.hpp>
#include <mno/mno.hpp>

// [layer]
/// y = s x / √(1 + x²) with a learned slope s per channel: a bounded activation.
template <int Channels> struct Softsign {
  static constexpr int inputs = Channels, outputs = Channels;
  static constexpr const char* name = "softsign";
  static constexpr std::array leaves{mno::parameter("slope", Channels)};
  static constexpr std::size_t parameters = mno::total(leaves);

  template <class Pass> struct Trace {
    mno::In<Pass> x;  // all that the adjoint needs
  };

  template <class T> static void initialise(std::span<T> s, mno::Stream&) {
    std::fill(s.begin(), s.end(), T(1));
  }

  template <class Pass>
  static void forward(mno::Weights<Pass> s, mno::In<Pass> x, mno::Out<Pass> y, Trace<Pass>& trace, Pass&) {
    trace.x = x;
    for (mno::Index r = 0; r < x.rows(); ++r)
      for (mno::Index c = 0; c < Channels; ++c) {
        const auto u = x.row(r)[c];
        y.row(r)[c] += s[std::size_t(c)] * u / std::sqrt(1 + u * u);
      }
  }

  /// x̄ = s ȳ (1 + x²)^{−3/2},  s̄ = Σ ȳ x (1 + x²)^{−1/2}
  template <class Pass>
  static void vjp(mno::Weights<Pass> s, mno::In<Pass> ybar, const Trace<Pass>& trace,
                  mno::WeightsBar<Pass> sbar, mno::Out<Pass> xbar, Pass&) {
    for (mno::Index r = 0; r < ybar.rows(); ++r)
      for (mno::Index c = 0; c < Channels; ++c) {
        const auto u = trace.x.row(r)[c], root = 1 / std::sqrt(1 + u * u);
        sbar[std::size_t(c)] += ybar.row(r)[c] * u * root;
        if (xbar) xbar.row(r)[c] += s[std::size_t(c)] * ybar.row(r)[c] * root * root * root;
      }
  }
};
// [layer] end

struct Small {
  static constexpr int dimension = 1, channels = 1, rank = 4, width = 12, modes = 6, depth = 3;
};

int main() {
  // [oracle]
  const auto report = mno::check_gradients<Softsign<3>, 1>(mno::Grid<1>{{17}});
  std::cout << report.str();
  if (report.largest() > 1e-6) return 1;  // the adjoint is wrong
  // [oracle] end

  // [compose]
  using namespace mno;
  constexpr auto layer = (SpectralConv<12, 12, 1, 6>{} + Pointwise<12, 12>{}) >> Softsign<12>{};
  constexpr auto expression =
      Lift<Small>{} >> repeat<3>(layer) >> concat(DriftHead<Small>{}, FactorHead<Small>{}) * Gate{};
  auto model = make_model<Small, double>(expression, /*seed=*/1);
  // [compose] end

  for (const auto& leaf : model.leaves()) std::cout << leaf.name << ": " << leaf.size() << "\n";
  Field<double, 1> u0(2, Grid<1>{{32}}, 1);
  u0.fill([](Index b, auto x, Index) { return std::cos(6.28 * x[0] + double(b)); });

  // [gradient]
  auto gradient = model.zeros();  // a gradient has the model's type
  const double t = 0.5;
  const double value = value_and_gradient(
      model, {u0.view(), {&t, 1}},
      [](const LawBlock<double, 1>& law) {  // ½ Σ m²: a toy loss, with its cotangent
        double sum = 0;
        for (Index r = 0; r < law.mean.rows(); ++r) {
          sum += 0.5 * law.mean.row(r)[0] * law.mean.row(r)[0];
          law.mean_bar.row(r)[0] = law.mean.row(r)[0];
        }
        return sum;
      },
      gradient);
  std::cout << "loss " << value << ", slope of layer 0: " << gradient.leaf("layer0.softsign.slope")[0]
            << "\n";
  // [gradient] end
}
