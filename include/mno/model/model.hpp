#pragma once
// A model: an expression with its parameters in one flat buffer, on a domain. A gradient has the same type.
#include <cstdint>
#include <type_traits>

#include "mno/core/buffer.hpp"
#include "mno/core/shape.hpp"
#include "mno/expression/leaves.hpp"
#include "mno/model/operators.hpp"

namespace mno {

template <class E, class S, class T = float> class Model {
 public:
  using ShapeType = S;
  static_assert(Layer<E>,
                "mno: a Model is made from an operator expression: Model<Expression, Shape, Scalar>");
  static_assert(
      Problem<S>,
      "mno: the shape of a model needs dimension and channels as static constexpr int, and rank where it "
      "gives a law");
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                "mno: a model computes in float or double");
  static_assert(E::inputs == input_channels<S>(),
                "mno: the expression's input must have the channels of [u_0, t, known fields, coordinates] "
                "of the shape");
  static_assert(
      E::outputs == S::channels || E::outputs == (1 + rank_of<S>()) * S::channels ||
          (rank_of<S>() > 0 && E::outputs == (2 + rank_of<S>()) * S::channels),
      "mno: the expression must give C channels (a field), C + r*C (drift and factor) or C + r*C + C "
      "(drift, factor and nugget)");

  using Expression = E;
  using Scalar = T;
  static constexpr int dimension = S::dimension;
  static constexpr std::size_t parameters = E::parameters;
  /// Does it give a law (mean and factor), or a field?
  static constexpr bool stochastic = E::outputs != S::channels;
  /// Does it give draws: a field, and another one in every visit of a condition?
  static constexpr bool gives_draws = !stochastic && detail::has_noise<E>();
  /// Has the law a nugget beside its factor: noise that is independent from entry to entry?
  static constexpr bool has_nugget = stochastic && E::outputs == (2 + rank_of<S>()) * S::channels;

  /// First values from the seed; the same seed gives the same bits everywhere.
  explicit Model(std::uint64_t seed = 0, Domain<dimension> domain = {})
      : domain_(domain), values_(parameters) {
    for (std::size_t d = 0; d < std::size_t(dimension); ++d)
      require(std::isfinite(domain.length[d]) && domain.length[d] > 0, "Model", "domain",
              Text("a positive length on axis ", d), Text(domain.length[d]));
    initialise<E, T>(values_.span(), seed);
  }

  /// A model of this one's type and domain with every parameter zero: what a gradient starts from.
  Model zeros() const {
    Model z(*this);
    std::fill_n(z.values_.data(), parameters, T(0));
    return z;
  }

  std::span<T> values() { return values_.span(); }
  std::span<const T> values() const { return values_.span(); }
  const Domain<dimension>& domain() const { return domain_; }

  static std::vector<NamedLeaf> leaves() { return named_leaves<E>(); }
  /// One leaf by its name, for instance leaf("gate.alpha").
  std::span<T> leaf(const std::string& name) {
    const NamedLeaf found = detail::leaf_named(leaves(), name);
    return values().subspan(found.offset, found.size());
  }
  std::span<const T> leaf(const std::string& name) const {
    const NamedLeaf found = detail::leaf_named(leaves(), name);
    return values().subspan(found.offset, found.size());
  }

  /// Known fields that are the same for every sample travel with the model, and are evaluated on whatever
  /// grid is asked for: a forcing, say. A call that brings its own known fields overrides them.
  void store_known_fields(Field<T, dimension> fields) {
    require(known_fields<S>() > 0, "Model::store_known_fields", "fields",
            Text("a shape that declares `known` fields"), Text("a shape without them"));
    require(fields.batch() == 1 && fields.channels() == known_fields<S>(), "Model::store_known_fields",
            "fields", Text("one set of ", known_fields<S>(), " field(s)"),
            Text(fields.batch(), " set(s) of ", fields.channels()));
    require(fields.grid().domain == domain_, "Model::store_known_fields", "fields",
            Text("the model's domain"), Text("another length or other walls"));
    require(all_finite<T, dimension>(fields.view()), "Model::store_known_fields", "fields",
            Text("finite values"), Text("a NaN or an infinity"));
    known_ = std::move(fields);
  }
  const Field<T, dimension>& stored_known_fields() const { return known_; }

  /// A constant that multiplies the factor, so that its head works with numbers of order one where the noise
  /// is small: 4√(mean training variance), say. It is a constant, not learned, and 1 unless it is set.
  T factor_scale() const { return factor_scale_; }
  void set_factor_scale(T scale) {
    require(std::isfinite(scale) && scale > 0, "Model::set_factor_scale", "scale", Text("a positive number"),
            Text(scale));
    factor_scale_ = scale;
  }

  /// Layers see (u_0 − shift)/scale per channel: numbers of order one even where u_0 is another quantity than
  /// u_t, a permeability, say, where u_t is the pressure. Known fields, in whatever units, likewise. Shift
  /// and scale are constants, not learned, and 0 and 1 unless they are set; m = u_0 + gA is as before.
  struct InputUnits {
    std::array<T, std::size_t(S::channels)> shift{}, scale = ones<std::size_t(S::channels)>();
    std::array<T, std::size_t(known_fields<S>())> known_shift{},
        known_scale = ones<std::size_t(known_fields<S>())>();
    bool operator==(const InputUnits&) const = default;

   private:
    template <std::size_t N> static constexpr std::array<T, N> ones() {
      std::array<T, N> one{};
      for (T& s : one) s = 1;
      return one;
    }
  };
  const InputUnits& input_units() const { return input_units_; }
  void set_input_units(const InputUnits& units) {
    const auto check = [](const auto& shift, const auto& scale, const char* what) {
      for (std::size_t c = 0; c < shift.size(); ++c)
        require(std::isfinite(shift[c]) && std::isfinite(scale[c]) && scale[c] > 0, "Model::set_input_units",
                "units", Text("a finite shift and a positive scale of ", what, " ", c),
                Text(shift[c], " and ", scale[c]));
    };
    check(units.shift, units.scale, "channel");
    check(units.known_shift, units.known_scale, "known field");
    input_units_ = units;
  }

  /// On a grid with fewer points on an axis, the layers work on a refined one, and the law is read at the
  /// given points (model/refined.hpp). So coarse grids have the same operator as fine ones. 0: the given
  /// grid.
  Index least_points() const { return least_points_; }
  void set_least_points(Index points) {
    require(points >= 0 && points <= most_least_points, "Model::set_least_points", "points",
            Text("a number from 0 (every grid as it is given) to ", most_least_points), Text(points));
    least_points_ = points;
  }
  static constexpr Index most_least_points = 65536;

 private:
  Domain<dimension> domain_;
  Buffer<T> values_;
  Field<T, dimension> known_;
  T factor_scale_ = 1;
  InputUnits input_units_{};
  Index least_points_ = 0;
};

template <class S, class T = float> using Mno = Model<MnoOperator<typename RequireShape<S>::type>, S, T>;
/// With a path from u_0 to the drift, which open_path opens.
template <class S, class T = float>
using PathMno = Model<MnoOperator<typename RequireShape<S>::type, PathDriftHead<S>>, S, T>;
/// PathMno with a nugget, for uncorrelated noise: the law has a density. Its lift learns fields of x, so that
/// the law may differ from place to place; `fit` closes them where it does not.
template <class S, class T = float>
using NuggetMno =
    Model<MnoOperator<WithPlaces<typename RequireShape<S>::type>, PathDriftHead<S>, NuggetFactorHead<S>>, S,
          T>;
template <class S, class T = float> using Fno = Model<FnoOperator<typename RequireShape<S>::type>, S, T>;

/// make_model<Shape>(expression, seed): for expressions of your own.
template <class S, class T = float, Layer E>
Model<E, S, T> make_model(E, std::uint64_t seed = 0, Domain<S::dimension> domain = {}) {
  return Model<E, S, T>(seed, domain);
}

}  // namespace mno
