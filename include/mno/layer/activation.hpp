#pragma once
// Activations: y = f(x) at every point and channel, x̄ = f′(x) ȳ.
//
// A function gives value and derivative together, because they share their costly part: at(x) for one number,
// the definition, and packet(x) for a vector register. A function of your own may leave out packet.
#include <cmath>
#include <numbers>
#include <type_traits>

#include "mno/core/host_device.hpp"
#include "mno/device/packet.hpp"
#include "mno/layer/pass.hpp"

namespace mno {

template <class T> struct Slope { T value, derivative; };
template <class T> struct PacketSlope { Packet<T> value, derivative; };

/// gelu(x) = x Φ(x),  gelu′(x) = Φ(x) + x φ(x), with the exact normal distribution Φ and its density φ.
struct GeluFunction {
  static constexpr const char* name = "gelu";
  template <class T> MNO_HOST_DEVICE static Slope<T> at(T x) {
    const T distribution = std::erfc(-x / std::numbers::sqrt2_v<T>) / 2;
    const T density = std::exp(-x * x / 2) * (std::numbers::inv_sqrtpi_v<T> / std::numbers::sqrt2_v<T>);
    return {x * distribution, distribution + x * density};
  }

  /// Tail and density share one exponential: with a = |x|, Φ(−a) = e^{−a²/2} G(a), where G is smooth and
  /// slow, here a quotient of polynomials (relative error 6e-9 in float, 6e-17 in double, for all a at which
  /// the exponential is a normal number). Then gelu(x) = max(x,0) − a Φ(−a), without cancellation on either
  /// side, and gelu′(x) = 1 + h or −h for positive or negative x, h = a φ(a) − Φ(−a).
  template <class T> EIGEN_STRONG_INLINE static PacketSlope<T> packet(const Packet<T>& x) {
    using namespace packet;
    if constexpr (has_lookup<T>) return by_pieces<T>(x);
    namespace in = Eigen::internal;
    using P = Packet<T>;
    const P half = everywhere(T(0.5)), sign = in::pand(x, everywhere(T(-0.0)));
    // Beyond the bound the exponential is 0, and the bound keeps 0·∞ away.
    const P a = in::pmin(P(in::pabs(x)), everywhere(T(std::is_same_v<T, float> ? 13.3 : 38.7)));
    const P e = exponential_of_negative<T>(pmul(P(pmul(a, everywhere(T(-0.5)))), a));
    const P quotient = pmul(polynomial(a, Numerator<T>::c), reciprocal<T>(polynomial(a, Denominator<T>::c)));
    const P tail = pmul(e, quotient);
    const P density = pmul(e, everywhere(std::numbers::inv_sqrtpi_v<T> / std::numbers::sqrt2_v<T>));
    const P h = psub(P(pmul(a, density)), tail);
    const P step = padd(half, P(in::por(sign, half)));  // 1 or 0
    return {psub(P(in::pmax(x, everywhere(T(0)))), P(pmul(a, tail))), padd(step, P(in::pxor(h, sign)))};
  }

  /// Where tables can be looked up: Φ(−a) is a polynomial of degree 6 on each of sixteen pieces of width 0.4,
  /// in d, the distance from the middle of the piece in units of its width (relative error 4e-6 down to
  /// x = −5, and below half a unit in the last place of 1 everywhere). It is 0 from a = 6 on, where it is
  /// 1e-9. With D = d(a Φ(−a))/da, gelu′ is 1 − D or D for positive or negative x.
  template <class T> EIGEN_STRONG_INLINE static PacketSlope<T> by_pieces(const Packet<T>& x) {
    using namespace packet;
    namespace in = Eigen::internal;
    using P = Packet<T>;
    const P a = in::pmin(P(in::pabs(x)), everywhere(T(6))), t = pmul(a, everywhere(T(2.5)));
    // Adding 1.5·2²³ rounds t to an integer, which then stands in the last bits.
    const P magic = everywhere(T(12582912)), shifted = padd(t, magic), d = psub(t, P(psub(shifted, magic)));
    P tail = lookup(pieces[6], shifted), slope = tail;
    MNO_UNROLL for (int k = 5; k >= 0; --k) {
      tail = pmadd(tail, d, lookup(pieces[k], shifted));
      if (k > 0) slope = pmadd(slope, d, tail);  // at the end ∂Φ/∂d: the derivative by Horner's rule
    }
    const P larger = pmadd(t, slope, tail), smaller = psub(everywhere(T(1)), larger);
    return {psub(P(in::pmax(x, everywhere(T(0)))), P(pmul(a, tail))),
            in::pselect(P(in::pcmp_lt(x, everywhere(T(0)))), larger, smaller)};
  }

 private:
  static constexpr float pieces[7][16] = {
      {0.5f, 0.344578266f, 0.211855397f, 0.115069672f, 0.0547992922f, 0.0227501318f, 0.00819753576f,
       0.00255513028f, 0.000687137945f, 0.000159108589f, 3.16712431e-05f, 5.41254394e-06f, 7.93328127e-07f,
       9.96442608e-08f, 1.07175904e-08f, 0},
      {-0.159576908f, -0.147308052f, -0.115876622f, -0.0776744261f, -0.0443683341f, -0.021596387f,
       -0.00895781163f, -0.0031661801f, -0.000953635201f, -0.000244760857f, -5.35321633e-05f,
       -9.97702318e-06f, -1.58453133e-06f, -2.14444427e-07f, -2.47310918e-08f, 0},
      {0, 0.0117846439f, 0.0185402595f, 0.0186418612f, 0.0141978674f, 0.00863855518f, 0.00429974962f,
       0.00177306111f, 0.000610326533f, 0.000176227753f, 4.28256753e-05f, 8.77975344e-06f, 1.52114069e-06f,
       2.23019626e-07f, 2.76982703e-08f, 2.39703954e-08f},
      {0.0042552785f, 0.00329964724f, 0.00111245597f, -0.000911305484f, -0.00184568588f, -0.0017277213f,
       -0.00113706966f, -0.00057752576f, -0.000234978041f, -7.80599439e-05f, -2.14105548e-05f,
       -4.88362593e-06f, -9.30899887e-07f, -1.48811694e-07f, -2.00022825e-08f, 2.14148219e-08f},
      {0, -0.000446233666f, -0.000583390705f, -0.000387751847f, -8.33008889e-05f, 0.000115176605f,
       0.000158231051f, 0.000114423325f, 5.89179326e-05f, 2.34032341e-05f, 7.42297743e-06f, 1.91502818e-06f,
       4.06390711e-07f, 7.14672055e-08f, 1.04694307e-08f, 0},
      {-0.000101282269f, -6.4486092e-05f, 1.03158245e-05f, 5.85011294e-05f, 5.46646479e-05f, 2.31192898e-05f,
       -2.89350396e-06f, -1.16550027e-05f, -9.42492625e-06f, -4.88604019e-06f, -1.87975377e-06f,
       -5.65755158e-07f, -1.36721852e-07f, -2.69333658e-08f, -4.3672177e-09f, 0},
      {0, 1.11583959e-05f, 1.18026437e-05f, 3.55341399e-06f, -4.03139938e-06f, -5.49569722e-06f,
       -2.88312481e-06f, -2.58126448e-07f, 7.49102639e-07f, 6.67214465e-07f, 3.39151057e-07f, 1.23524742e-07f,
       3.45816602e-08f, 7.6876443e-09f, 1.38210487e-09f, 0}};  // (power of d, piece)
  template <class T> struct Numerator {
    static constexpr T c[] = {T(0.499999999999999976),    T(0.774662183836333533),
                              T(0.5937382084066793),      T(0.28911176824986089),
                              T(0.0975998329989882035),   T(0.0235918927373896063),
                              T(0.00408279735270026727),  T(0.000489469723859303228),
                              T(0.000037167497344938237), T(1.38180667348056482e-6)};
  };
  template <class T> struct Denominator {
    static constexpr T c[] = {T(1),
                              T(2.3472089284755228),
                              T(2.56027818182292612),
                              T(1.71338702516262285),
                              T(0.781412884172519935),
                              T(0.254694214222887295),
                              T(0.0603560971170845391),
                              T(0.0103272203722351919),
                              T(0.00123038232528258215),
                              T(0.0000931650997399109562),
                              T(3.46367567783077688e-6)};
  };
  template <class T, std::size_t N>
  EIGEN_STRONG_INLINE static Packet<T> polynomial(const Packet<T>& x, const T (&c)[N]) {
    using namespace packet;
    Packet<T> value = everywhere(c[N - 1]);
    MNO_UNROLL for (std::size_t i = 1; i < N; ++i) value = pmadd(value, x, everywhere(c[N - 1 - i]));
    return value;
  }
};
template <> struct GeluFunction::Numerator<float> {
  static constexpr float c[] = {0.500000002234078808f, 0.435498722252333364f, 0.181159055115168151f,
                                0.0399318620430741103f, 0.00401169364934992314f};
};
template <> struct GeluFunction::Denominator<float> {
  static constexpr float c[] = {1.0f,
                                1.66888233484876602f,
                                1.19388964822825619f,
                                0.46398821508333468f,
                                0.100101742313769368f,
                                0.0100556810198630809f};
};

/// silu(x) = x s(x),  silu′ = s (1 + x (1 − s)), with the logistic s(x) = 1/(1 + e^{−x}).
struct SiluFunction {
  static constexpr const char* name = "silu";
  template <class T> MNO_HOST_DEVICE static Slope<T> at(T x) {
    const T s = 1 / (1 + std::exp(-x));
    return {x * s, s * (1 + x * (1 - s))};
  }
  /// With e = e^{−|x|}: s(|x|) = 1/(1 + e) and s(−|x|) = e/(1 + e).
  template <class T> EIGEN_STRONG_INLINE static PacketSlope<T> packet(const Packet<T>& x) {
    using namespace packet;
    namespace in = Eigen::internal;
    using P = Packet<T>;
    const P zero = everywhere(T(0)), one = everywhere(T(1));
    const P e = exponential_of_negative<T>(psub(zero, P(in::pabs(x)))), larger = pdiv(one, P(padd(one, e)));
    const P smaller = pmul(e, larger), negative = in::pcmp_lt(x, zero);
    const P s = in::pselect(negative, smaller, larger), rest = in::pselect(negative, larger, smaller);
    return {pmul(x, s), pmul(s, P(pmadd(x, rest, one)))};
  }
};

/// tanh′ = 1 − tanh²
struct TanhFunction {
  static constexpr const char* name = "tanh";
  template <class T> MNO_HOST_DEVICE static Slope<T> at(T x) {
    const T y = std::tanh(x);
    return {y, 1 - y * y};
  }
};

/// relu(x) = max(x, 0); at 0 the derivative is taken as 0.
struct ReluFunction {
  static constexpr const char* name = "relu";
  template <class T> MNO_HOST_DEVICE static Slope<T> at(T x) {
    return x > 0 ? Slope<T>{x, 1} : Slope<T>{0, 0};
  }
};

namespace detail {

template <class Function, class T>
concept HasPacket = requires(Packet<T> x) {
  Function::template packet<T>(x);
};

/// y += f(x) or y = f(x), and derivative = f′(x) unless it is null, for n numbers.
template <class Function, class T> void activate(const T* x, T* y, T* derivative, Index n, Write write) {
  if constexpr (HasPacket<Function, T>) {
    // Two loops, so that no slope is computed where none is kept: a compiler takes the test out of one loop
    // or does not, and prediction took a fifteenth longer where it did not.
    const auto run = [&](auto keep_slope) {
      for_each_packet<T>(n, [&](auto load, auto store) {
        const PacketSlope<T> f = Function::template packet<T>(load(x));
        store(y, write == Write::add ? Packet<T>(packet::padd(load(y), f.value)) : f.value);
        if constexpr (keep_slope) store(derivative, f.derivative);
      });
    };
    derivative ? run(std::true_type{}) : run(std::false_type{});
  } else {
    for (Index i = 0; i < n; ++i) {
      const auto f = Function::at(x[i]);
      y[i] = write == Write::add ? y[i] + f.value : f.value;
      if (derivative) derivative[i] = f.derivative;
    }
  }
}

/// out = a b, or out += a b, for n numbers.
template <class T> void scale_by(const T* a, const T* b, T* out, Index n, Write write) {
  for_each_packet<T>(n, [&](auto load, auto store) {
    const Packet<T> product = packet::pmul(load(a), load(b));
    store(out, write == Write::add ? Packet<T>(packet::padd(load(out), product)) : product);
  });
}

}  // namespace detail

template <class Function, int Channels> struct Activation : WithoutParameters {
  using function = Function;
  static constexpr int inputs = Channels, outputs = Channels;
  static constexpr const char* name = Function::name;

  template <class Pass> struct Trace {
    In<Pass> derivative;  // f′(x)
  };

  template <class Pass>
  static void forward(Weights<Pass>, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass, Write write) {
    const Out<Pass> derivative = pass.recording ? pass.keep_uninitialised(x, Channels) : Out<Pass>{};
    trace.derivative = derivative;
    apply(x, y, derivative, write);
  }

  template <class Pass>
  static void vjp(Weights<Pass>, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass>, Out<Pass> xbar,
                  Pass&, Write write) {
    if (!xbar) return;
    apply_adjoint(ybar, trace.derivative, xbar, write);
  }

  /// y += f(x) or y = f(x), and derivative = f′(x) unless it is empty.
  template <class X, class Y> static void apply(const X& x, const Y& y, const Y& derivative, Write write) {
    apply_rows(x, 0, y, derivative, 0, x.rows(), write);
  }
  /// The same for some rows: x from row `from` on, y and derivative from row `to` on.
  template <class X, class Y>
  static void apply_rows(const X& x, Index from, const Y& y, const Y& derivative, Index to, Index rows,
                         Write write) {
    for_runs(x, y, rows, [&](Index r, Index n) {
      detail::activate<Function>(x.row(from + r), y.row(to + r),
                                 derivative ? derivative.row(to + r) : nullptr, n, write);
    });
  }
  /// x̄ += f′(x) ȳ or x̄ = f′(x) ȳ.
  template <class Y, class X>
  static void apply_adjoint(const Y& ybar, const Y& derivative, const X& xbar, Write write) {
    for_runs(ybar, xbar, ybar.rows(), [&](Index r, Index n) {
      detail::scale_by(derivative.row(r), ybar.row(r), xbar.row(r), n, write);
    });
  }
  /// x̄ = f′(x) ȳ for some rows: ȳ and derivative from row `from` on, x̄ from row `to` on.
  template <class Y, class X>
  static void apply_adjoint_rows(const Y& ybar, const Y& derivative, Index from, const X& xbar, Index to,
                                 Index rows) {
    for_runs(ybar, xbar, rows, [&](Index r, Index n) {
      detail::scale_by(derivative.row(from + r), ybar.row(from + r), xbar.row(to + r), n, Write::set);
    });
  }

 private:
  /// f(row, numbers): all rows at once where both views are dense.
  template <class A, class B, class F> static void for_runs(const A& a, const B& b, Index rows, F&& f) {
    if (a.pitch == Channels && b.pitch == Channels) return f(0, rows * Channels);
    for (Index r = 0; r < rows; ++r) f(r, Channels);
  }
};

template <int Channels> using Gelu = Activation<GeluFunction, Channels>;
template <int Channels> using Silu = Activation<SiluFunction, Channels>;
template <int Channels> using Tanh = Activation<TanhFunction, Channels>;
template <int Channels> using Relu = Activation<ReluFunction, Channels>;

}  // namespace mno
