// Expressions as text: pinned, since files have them; and different wherever the function is.
#include "mno/expression/text.hpp"

#include <doctest/doctest.h>

#include <set>

#include "mno/expression/coarse.hpp"
#include "mno/layer/constant.hpp"
#include "mno/layer/conv.hpp"
#include "mno/layer/factorised_spectral.hpp"
#include "mno/layer/film.hpp"
#include "mno/layer/group_norm.hpp"
#include "mno/layer/hermite.hpp"
#include "mno/layer/initial.hpp"
#include "mno/layer/nearest.hpp"
#include "mno/layer/noise.hpp"
#include "mno/layer/pooling.hpp"
#include "mno/layer/scale.hpp"
#include "mno/layer/semigroup.hpp"
#include "mno/layer/slice.hpp"
#include "mno/layer/superposition.hpp"
#include "mno/model/operators.hpp"

using namespace mno;

namespace {

struct Small {
  static constexpr int dimension = 1, channels = 1, rank = 2, width = 3, modes = 4, depth = 2, projection = 5;
};
struct Split : Small {
  static constexpr bool shared_backbone = false;
};
struct Half {
  static constexpr double value = 0.5;
};
struct Third {
  static constexpr double value = 1.0 / 3;
};

/// A layer of one's own: name, channels and parameters are said without asking for them.
template <int Channels, int Power> struct Polynomial {
  static constexpr int inputs = Channels, outputs = Channels;
  static constexpr const char* name = "polynomial";
  static constexpr std::array leaves{parameter("weight", Channels, 2), parameter("offset")};
  static constexpr std::size_t parameters = total(leaves);
};
/// The same, saying what else it depends on.
template <int Channels, int Power> struct SayingPolynomial : Polynomial<Channels, Power> {
  static constexpr std::array settings{setting("power", Power), setting("side", "left")};
};
/// A node of one's own.
template <class L> struct Twice : Node<L> {
  static constexpr int inputs = L::inputs, outputs = L::outputs;
  static constexpr const char* name = "twice";
};
struct Named : Chain<Tanh<2>, Identity<2>> {
  static constexpr const char* name = "named";
};
struct Unnamed : Chain<Tanh<2>, Identity<2>> {};

template <class... Es> std::vector<std::string> texts(Parts<Es...>) { return {expression_text<Es>()...}; }

}  // namespace

TEST_CASE("leaves say name, channels, shapes of parameters and settings") {
  CHECK(expression_text<Pointwise<2, 3>>() == "pointwise{2->3, weight 3x2, bias 3}");
  CHECK(expression_text<Conv<2, 3, 1, 5, Reflecting, 2>>() ==
        "conv{2->3, weight 5x2x3, bias 3, dimension=1, size=5, edge=reflecting, stride=2}");
  CHECK(expression_text<GroupNorm<4, 2>>() == "norm{4->4, scale 4, shift 4, groups=2, epsilon=1e-05}");
  CHECK(expression_text<Noise<2, 1, 1, 3, Third>>() ==
        "noise{2->1, dimension=1, modes=3, amplitude=0.3333333333333333}");
  CHECK(expression_text<Gelu<7>>() == "gelu{7->7}");
  CHECK(expression_text<Polynomial<3, 2>>() == "polynomial{3->3, weight 3x2, offset}");
  CHECK(expression_text<SayingPolynomial<3, 2>>() ==
        "polynomial{3->3, weight 3x2, offset, power=2, side=left}");
}

TEST_CASE("nodes say their parts") {
  constexpr Tanh<2> a;
  constexpr Relu<2> b;
  const auto text = []<class E>(E) { return expression_text<E>(); };
  CHECK(text(a >> b) == "(tanh{2->2} >> relu{2->2})");
  CHECK(text(a + b) == "(tanh{2->2} + relu{2->2})");
  CHECK(text(a * b) == "(tanh{2->2} * relu{2->2})");
  CHECK(text(concat(a, b)) == "concat(tanh{2->2}, relu{2->2})");
  CHECK(text(a * Gate{}) == "(tanh{2->2} * gate{alpha 1})");
  CHECK(text(repeat<3>(a)) == "repeat<3>(tanh{2->2})");
  CHECK(text(tied<3>(a)) == "tied<3>(tanh{2->2})");
  CHECK(text(coarse<2>(a)) == "(resample{2->2, up=1, down=2} >> tanh{2->2} >> resample{2->2, up=2, down=1})");
  CHECK(text(Twice<Tanh<2>>{}) == "twice{2->2}(tanh{2->2})");
  CHECK(text(Named{} >> b) == "(named:(tanh{2->2} >> identity{2->2}) >> relu{2->2})");
  CHECK(text(Unnamed{} >> b) == text(a >> Identity<2>{} >> b));  // as >> opens what is in a chain
}

TEST_CASE("the texts of the paper's operators, which files have, stay as they are") {
  const std::string layers =
      "lift{2->3, weight 3x2, bias 3} >> repeat<2>(layer:((spectral{3->3, weight 4x2x3x3, dimension=1, "
      "modes=4} + "
      "pointwise{3->3, weight 3x3, bias 3}) >> gelu{3->3}))";
  const auto projection = [](const std::string& outputs) {
    return "(pointwise{3->5, weight 5x3, bias 5} >> gelu{5->5} >> pointwise{5->" + outputs + ", weight " +
           outputs + "x5, bias " + outputs + "})";
  };
  const std::string drift = "drift:" + projection("1"), factor = "factor:" + projection("2");
  const std::string path = "drift:(" + projection("1") + " + path{3->1, scale 1})";
  const auto operator_with = [&](const std::string& heads) { return "(" + layers + " >> " + heads + ")"; };

  CHECK(expression_text<MnoOperator<Small>>() ==
        operator_with("(concat(" + drift + ", " + factor + ") * gate{alpha 1})"));
  CHECK(expression_text<MnoOperator<Small, PathDriftHead<Small>>>() ==
        operator_with("(concat(" + path + ", " + factor + ") * gate{alpha 1})"));
  CHECK(expression_text<FnoOperator<Small>>() == operator_with(drift));
  CHECK(expression_text<MnoOperator<Small, DriftHead<Small>, FactorHead<Small>, PowerGate>>() ==
        operator_with("concat(mean:(" + drift + " * gate{alpha 1}), residual:(" + factor +
                      " * gate{alpha 1, eta 1}))"));
  CHECK(expression_text<MnoOperator<Split>>() == "(concat(drift_operator:(" + layers + " >> " + drift +
                                                     "), factor_operator:(" + layers + " >> " + factor +
                                                     ")) * gate{alpha 1})");
}

TEST_CASE("every template argument of the library's leaves and nodes shows in the text") {
  using A = Tanh<2>;
  using B = Relu<2>;
  const auto all = texts(
      Parts<Pointwise<2, 2>, Pointwise<2, 3>, Pointwise<3, 2>,  //
            Conv<2, 2, 1, 9>, Conv<2, 2, 2, 3>, Conv<2, 2, 1, 3>, Conv<2, 2, 1, 3, Zero>,
            Conv<2, 2, 1, 3, Reflecting>, Conv<2, 2, 1, 3, Circular, 2>, Conv<2, 3, 1, 3>, Conv<3, 2, 1, 3>,
            SpectralConv<2, 2, 1, 6>, SpectralConv<2, 2, 2, 2>, SpectralConv<2, 2, 1, 5>,
            SpectralConv<2, 3, 1, 6>, SpectralConv<3, 2, 1, 6>,  //
            FactorisedSpectralConv<2, 2, 1, 4>, FactorisedSpectralConv<2, 2, 2, 4>,
            FactorisedSpectralConv<2, 2, 2, 3>, FactorisedSpectralConv<2, 3, 2, 3>,
            FactorisedSpectralConv<3, 2, 2, 3>,  //
            Gelu<2>, Silu<2>, Tanh<2>, Relu<2>, Gelu<3>, GroupNorm<4, 2>, GroupNorm<4, 1>, GroupNorm<2, 1>,
            Film<2>, Film<3>, Scale<2, Half>, Scale<2, Third>, Scale<3, Half>, Identity<2>, Identity<3>,
            AveragePool<2, 2>, AveragePool<2, 3>, AveragePool<3, 2>, MaxPool<2, 2>, MaxPool<2, 3>,
            MaxPool<3, 2>, GlobalMean<2>, GlobalMean<3>, Nearest<2, 2>, Nearest<2, 3>, Nearest<3, 2>,
            SpectralUp<2, 2>, SpectralUp<2, 3>, SpectralUp<3, 2>, SpectralDown<2, 2>,
            SpectralResample<2, 2, 4>,  //
            Noise<2, 2, 1, 3>, Noise<2, 2, 2, 3>, Noise<2, 2, 1, 4>, Noise<2, 2, 1, 3, Half>,
            Noise<2, 3, 1, 3>, Noise<3, 2, 1, 3>,  //
            Separable<4, 1, 1, 6>, Separable<4, 1, 2, 2>, Separable<4, 2, 1, 6>, Separable<3, 1, 1, 6>,
            Separable<4, 1, 1, 5>,  //
            Mercer<2, 2>, Mercer<2, 2, Half>, Mercer<4, 1>, Mercer<1, 4>, InitialPath<2, 1>,
            InitialPath<2, 2>, InitialPath<3, 1>, Initial<2, 1>, Initial<2, 2>, Initial<3, 1>,  //
            Hermite<2, 1>, Hermite<2, 2>, Hermite<3, 1>, Hermite<1, 2>, Superposition<2, 1>,
            Superposition<1, 2>, Superposition<1, 3>, Slice<3, 0, 2>, Slice<3, 1, 2>, Slice<3, 1, 1>,
            Slice<4, 1, 2>,  //
            Constant<2, 2, Half>, Constant<2, 2, Third>, Constant<2, 3, Half>, Constant<3, 2, Half>,
            Semigroup<2, 1, 6, 1>, Semigroup<2, 2, 2, 1>, Semigroup<2, 1, 5, 1>, Semigroup<3, 1, 6, 1>,
            Semigroup<2, 1, 6, 2>,  //
            FixedField<2, 1, 1, 4>, FixedField<2, 1, 2, 4>, FixedField<2, 1, 1, 3>, FixedField<2, 2, 1, 4>,
            FixedField<3, 1, 1, 4>,  //
            Chain<A, B>, Chain<B, A>, Sum<A, B>, Sum<B, A>, Product<A, B>, Product<B, A>, Concat<A, B>,
            Concat<B, A>, Concat<A, B, A>, Sum<A, B, A>, Chain<A, B, A>, Gated<A, Gate>, Gated<A, PowerGate>,
            Gated<B, Gate>, Repeat<2, A>, Repeat<3, A>, Repeat<2, B>, Tied<2, A>, Tied<3, A>, Tied<2, B>>{});
  std::set<std::string> different;
  for (const std::string& text : all) CHECK_MESSAGE(different.insert(text).second, text, " is there twice");
  CHECK(different.size() == all.size());
}
