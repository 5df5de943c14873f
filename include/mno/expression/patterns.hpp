#pragma once
// Which runs of links in a chain have a kernel of their own. The one place where patterns are found, for
// every device: a device may have its own version of a kernel, as of any layer.
//
//     fourier.hpp      (spectral + pointwise) >> activation     a Fourier layer, the summands in either order
//     perceptron.hpp   pointwise >> activation >> pointwise     a head
//
// A link may also be a struct that derives from the layer in question.
#include "mno/expression/fourier.hpp"
#include "mno/expression/perceptron.hpp"
#include "mno/expression/sequence.hpp"
#include "mno/expression/sum.hpp"

namespace mno::detail {

// What kind of layer a link is, by conversion of pointers: declared, never defined.
template <int I, int O> Pointwise<I, O> as_pointwise(const Pointwise<I, O>*);
template <int I, int O, int D, int M> SpectralConv<I, O, D, M> as_spectral(const SpectralConv<I, O, D, M>*);
template <class F, int C> Activation<F, C> as_activation(const Activation<F, C>*);
template <class A, class B> Parts<A, B> as_sum_of_two(const Sum<A, B>*);

template <class L>
concept IsPointwise = requires(const L* l) {
  as_pointwise(l);
};
template <class L>
concept IsSpectral = requires(const L* l) {
  as_spectral(l);
};
template <class L>
concept IsActivation = requires(const L* l) {
  as_activation(l);
};
template <class L>
concept IsSumOfTwo = requires(const L* l) {
  as_sum_of_two(l);
};

/// The kernel of (a + b) >> activation, if there is one.
template <class Summands, class Act> struct FourierPattern { static constexpr bool found = false; };
template <IsSpectral A, IsPointwise B, class Act> struct FourierPattern<Parts<A, B>, Act> {
  static constexpr bool found = true;
  using type = FourierKernel<decltype(as_spectral((A*)nullptr)), decltype(as_pointwise((B*)nullptr)),
                             decltype(as_activation((Act*)nullptr)), true>;
};
template <IsPointwise A, IsSpectral B, class Act> struct FourierPattern<Parts<A, B>, Act> {
  static constexpr bool found = true;
  using type = FourierKernel<decltype(as_spectral((B*)nullptr)), decltype(as_pointwise((A*)nullptr)),
                             decltype(as_activation((Act*)nullptr)), false>;
};
template <class A, class B> constexpr bool is_fourier() {
  if constexpr (IsSumOfTwo<A> && IsActivation<B>)
    return FourierPattern<decltype(as_sum_of_two((A*)nullptr)), B>::found;
  else
    return false;
}

/// What the first links of a chain run as, and the links after them.
template <class... Ls> struct FirstRun;
template <class L, class... Ls> struct FirstRun<L, Ls...> {
  using type = L;
  using Rest = Parts<Ls...>;
};
template <class A, class B, class... Ls>
requires(is_fourier<A, B>()) struct FirstRun<A, B, Ls...> {
  using type = typename FourierPattern<decltype(as_sum_of_two((A*)nullptr)), B>::type;
  using Rest = Parts<Ls...>;
};
template <IsPointwise A, IsActivation B, IsPointwise C, class... Ls> struct FirstRun<A, B, C, Ls...> {
  using type = PerceptronKernel<decltype(as_pointwise((A*)nullptr)), decltype(as_activation((B*)nullptr)),
                                decltype(as_pointwise((C*)nullptr))>;
  using Rest = Parts<Ls...>;
};

/// All links of a chain as a sequence of runs.
template <class Done, class Left> struct Runs;
template <class... Done> struct Runs<Parts<Done...>, Parts<>> { using type = Sequence<Done...>; };
template <class... Done, class... Ls>
struct Runs<Parts<Done...>, Parts<Ls...>>
    : Runs<Parts<Done..., typename FirstRun<Ls...>::type>, typename FirstRun<Ls...>::Rest> {};

template <class... Ls> using RunsOf = typename Runs<Parts<>, Parts<Ls...>>::type;

}  // namespace mno::detail
