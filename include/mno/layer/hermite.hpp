#pragma once
// Wick products of Gaussian inputs: all normalised Hermite products of the channels up to an order K,
//
//     y_α(x) = Π_i h_{α_i}(x_i),   1 ≤ |α| ≤ K,   h_n = He_n/√n!:   h_1(x) = x,  h_2(x) = (x² − 1)/√2, …
//
// Where the x_i are independent N(0, 1), these are centred, uncorrelated and of variance 1: the basis of a
// Wiener chaos expansion. They stand in the order of their degree, and x_1 before x_2 within one: for K = 2
// x_1, …, x_r | h_2(x_1), x_1 x_2, …, x_1 x_r, h_2(x_2), x_2 x_3, …
#include <cmath>

#include "mno/layer/pass.hpp"

namespace mno {

namespace detail {
/// The number of products of degree 1 to `order` of so many factors: (channels + order choose order) − 1.
constexpr int hermite_products(int channels, int order) {
  long long all = 1;
  for (int k = 1; k <= order; ++k) all = all * (channels + k) / k;
  return int(all - 1);
}
}  // namespace detail

template <int Channels, int Order> struct Hermite : WithoutParameters {
  static_assert(Channels >= 1 && Order >= 1, "mno: Hermite needs at least one channel and an order of 1");
  static constexpr int inputs = Channels, outputs = detail::hermite_products(Channels, Order);
  static constexpr const char* name = "hermite";
  static constexpr std::array settings{setting("order", Order)};

  template <class Pass> struct Trace { In<Pass> x; };

  template <class Pass>
  static void forward(Weights<Pass>, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass, Write write) {
    trace.x = x;
    pass.for_each(y.slice(0, 1), AtRow<Pass>{x, y, write == Write::add});
  }

  /// h_n′ = √n h_{n−1}, so  x̄_i = Σ_{α: α_i = n ≥ 1} ȳ_α √n h_{n−1}(x_i) Π_{j≠i} h_{α_j}(x_j)
  template <class Pass>
  static void vjp(Weights<Pass>, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass>, Out<Pass> xbar,
                  Pass& pass, Write write) {
    if (xbar) pass.for_each(xbar.slice(0, 1), AdjointAtRow<Pass>{trace.x, ybar, xbar, write == Write::add});
  }

  /// All products of r numbers: put(y_α) in their order.
  template <class T, class Put> MNO_HOST_DEVICE static void products(const T* x, Put&& put) {
    T h[Channels * powers];
    polynomials(x, h);
    add_degrees<Order>(h, put);
  }

 private:
  static constexpr int powers = Order + 1;  // h_0, …, h_K of every channel

  /// One point of one sample at a time.
  template <class Pass> struct AtRow {
    In<Pass> x;
    Out<Pass> y;
    bool add;
    MNO_HOST_DEVICE void operator()(Index row, Index) const {
      using T = typename Pass::Scalar;
      T* to = y.row(row);
      products(x.row(row), [&](T value) {
        *to = add ? *to + value : value;
        ++to;
      });
    }
  };
  template <class Pass> struct AdjointAtRow {
    In<Pass> x, ybar;
    Out<Pass> xbar;
    bool add;
    MNO_HOST_DEVICE void operator()(Index row, Index) const {
      using T = typename Pass::Scalar;
      T h[Channels * powers];
      polynomials(x.row(row), h);
      T* const to = xbar.row(row);
      if (!add)
        for (int i = 0; i < Channels; ++i) to[i] = T(0);
      const T* from = ybar.row(row);
      add_adjoint_of_degrees<Order>(h, from, to);
    }
  };

  /// √(n+1) h_{n+1}(x) = x h_n(x) − √n h_{n−1}(x): (channel, n)
  template <class T> MNO_HOST_DEVICE static void polynomials(const T* x, T* h) {
    for (int i = 0; i < Channels; ++i, h += powers) {
      h[0] = T(1);
      h[1] = x[i];
      for (int n = 1; n < Order; ++n)
        h[n + 1] = (x[i] * h[n] - std::sqrt(T(n)) * h[n - 1]) / std::sqrt(T(n + 1));
    }
  }

  /// Degree by degree, from 1 on.
  template <int Degree, class T, class Put> MNO_HOST_DEVICE static void add_degrees(const T* h, Put& put) {
    if constexpr (Degree > 1) add_degrees<Degree - 1>(h, put);
    add_products<Degree>(h, 0, T(1), put);
  }
  template <int Degree, class T>
  MNO_HOST_DEVICE static void add_adjoint_of_degrees(const T* h, const T*& from, T* xbar) {
    if constexpr (Degree > 1) add_adjoint_of_degrees<Degree - 1>(h, from, xbar);
    add_adjoint<Degree>(h, 0, T(1), from, xbar);
  }

  /// put(before · product) for all products of degree Left of the channels from `first` on.
  template <int Left, class T, class Put>
  MNO_HOST_DEVICE static void add_products(const T* h, int first, T before, Put& put) {
    if constexpr (Left == 0)
      put(before);
    else
      for (int i = first; i < Channels; ++i) add_powers<Left, Left>(h, i, before, put);
  }
  /// Those that have channel i to the power N or less.
  template <int Left, int N, class T, class Put>
  MNO_HOST_DEVICE static void add_powers(const T* h, int i, T before, Put& put) {
    add_products<Left - N>(h, i + 1, before * h[i * powers + N], put);
    if constexpr (N > 1) add_powers<Left, N - 1>(h, i, before, put);
  }

  /// x̄ of the same products, whose ȳ stand at `from`; returns Σ ȳ · product.
  template <int Left, class T>
  MNO_HOST_DEVICE static T add_adjoint(const T* h, int first, T before, const T*& from, T* xbar) {
    if constexpr (Left == 0) {
      return *from++;
    } else {
      T sum = 0;
      for (int i = first; i < Channels; ++i) sum += add_power_adjoint<Left, Left>(h, i, before, from, xbar);
      return sum;
    }
  }
  template <int Left, int N, class T>
  MNO_HOST_DEVICE static T add_power_adjoint(const T* h, int i, T before, const T*& from, T* xbar) {
    const T* const own = h + i * powers;
    const T rest = add_adjoint<Left - N>(h, i + 1, before * own[N], from, xbar);
    xbar[i] += before * std::sqrt(T(N)) * own[N - 1] * rest;
    T sum = own[N] * rest;
    if constexpr (N > 1) sum += add_power_adjoint<Left, N - 1>(h, i, before, from, xbar);
    return sum;
  }
};

}  // namespace mno
