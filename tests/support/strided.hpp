#pragma once
// A layer inside wider fields: its views have a pitch beyond their channels, forward and vjp add to what is
// there, and nothing beside the views is read or written.
#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

#include "device.hpp"
#include "mno/core/random.hpp"
#include "mno/layer/pass.hpp"

namespace mno::test {

/// Numbers of a field among others, two to the left and three to the right of every point.
template <class T, int D> struct Wide {
  Wide(Index batch, const Grid<D>& grid, Index channels, T around)
      : whole(batch, grid, channels + 5), view(whole.view().slice(2, channels)) {
    for (T& value : whole.span()) value = around;
  }
  void copy(const Field<T, D>& from) {
    for (Index r = 0; r < view.rows(); ++r) std::copy_n(from.view().row(r), view.channels, view.row(r));
  }
  Field<T, D> whole;
  View<T, D> view;
};

template <class T, int D>
Field<T, D> normal_field(Index batch, const Grid<D>& grid, Index channels, int stream) {
  Field<T, D> field(batch, grid, channels);
  Stream random(7, std::uint64_t(stream));
  for (T& value : field.span()) value = T(random.normal());
  return field;
}

/// A layer's arguments, in fields of any pitch, and where its results go. Without ȳ it is evaluated alone.
template <class T, int D> struct Call {
  std::span<const T> w;
  View<const T, D> x;
  View<T, D> y;
  View<const T, D> ybar;
  View<T, D> xbar;
  std::span<T> wbar;
  Write write;
};

/// y and, by the adjoint, x̄ and w̄, in a pass of this memory.
template <class L, class T, int D, class PassType> void run_in(PassType& pass, const Call<T, D>& call) {
  pass.recording = bool(call.ybar);
  TraceOf<L, PassType> trace;
  forward_of<L, PassType>(call.w, call.x, call.y, trace, pass, call.write);
  if (call.ybar) vjp_of<L, PassType>(call.w, call.ybar, trace, call.wbar, call.xbar, pass, call.write);
}

/// Runs a layer; a pointer, so that what is done with layers is compiled once for all of them.
template <class T, int D> using Run = void (*)(const Call<T, D>&);

#ifdef MNO_TEST_CUDA
/// The fields with all that lies between their rows are brought there, and those that are written back.
template <class T, int D>
void run_there(const Call<T, D>& here, void (*run_in)(Pass<T, D, Cuda>&, const Call<T, D>&)) {
  device().run(here.x.batch, [&](Index) {
    Pass<T, D, Cuda> pass(device());
    const auto numbers = [](const auto& view) {
      return view ? std::size_t((view.rows() - 1) * view.pitch + view.channels) : 0;
    };
    const auto send = [&](const T* from, std::size_t n) {
      T* const to = pass.keep_values(Index(n));
      device().upload(from, to, n);
      return to;
    };
    Call<T, D> there = here;
    there.w = {send(here.w.data(), here.w.size()), here.w.size()};
    there.wbar = {send(here.wbar.data(), here.wbar.size()), here.wbar.size()};
    for (auto view : {&Call<T, D>::x, &Call<T, D>::ybar})
      if (here.*view) (there.*view).data = send((here.*view).data, numbers(here.*view));
    for (auto view : {&Call<T, D>::y, &Call<T, D>::xbar})
      if (here.*view) (there.*view).data = send((here.*view).data, numbers(here.*view));
    run_in(pass, there);
    for (auto view : {&Call<T, D>::y, &Call<T, D>::xbar})
      if (here.*view) device().download((there.*view).data, (here.*view).data, numbers(here.*view));
    device().download(there.wbar.data(), here.wbar.data(), here.wbar.size());
    if (!device().measuring()) device().wait();
  });
}
template <class L, class T, int D> void run(const Call<T, D>& call) {
  run_there<T, D>(call, run_in<L, T, D, Pass<T, D, Cuda>>);
}
#else
template <class L, class T, int D> void run(const Call<T, D>& call) {
  Workspace workspace;
  Pass<T, D> pass(workspace);
  run_in<L>(pass, call);
}
#endif

/// What a layer gives in dense fields that it sets: y, x̄ and w̄.
template <class T, int D> struct DenseFields {
  DenseFields(const Field<T, D>& field, const Grid<D>& output_grid, Index outputs, std::size_t parameters,
              Run<T, D> layer)
      : x(field),
        y(field.batch(), output_grid, outputs),
        ybar(normal_field<T>(field.batch(), y.grid(), outputs, 2)),
        xbar(field.batch(), field.grid(), field.channels()),
        w(parameters),
        wbar(parameters),
        layer(layer) {
    Stream random(7, 3);
    for (T& value : w) value = T(0.5 * random.normal());
  }
  /// y is set to L(x) where there were NaNs before, and w̄, x̄ to the adjoint's.
  void run(bool recording = true) {
    const T nothing = std::numeric_limits<T>::quiet_NaN();
    for (T& value : y.span()) value = nothing;
    for (T& value : xbar.span()) value = nothing;
    std::fill(wbar.begin(), wbar.end(), T(0));
    layer({w, std::as_const(x).view(), y.view(), recording ? std::as_const(ybar).view() : View<const T, D>{},
           xbar.view(), wbar, Write::set});
  }
  Field<T, D> x, y, ybar, xbar;
  std::vector<T> w, wbar;
  Run<T, D> layer;
};
template <class L, class T, int D> struct Dense : DenseFields<T, D> {
  explicit Dense(const Grid<D>& grid, Index batch = 2) : Dense(normal_field<T>(batch, grid, L::inputs, 1)) {}
  explicit Dense(const Field<T, D>& field)
      : DenseFields<T, D>(field, output_grid<L>(field.grid()), L::outputs, L::parameters,
                          test::run<L, T, D>) {}
};

template <class T, int D> void check_strided(DenseFields<T, D>& dense, const std::string& what) {
  INFO(what);
  const Grid<D>& grid = dense.x.grid();
  const Index inputs = dense.x.channels(), outputs = dense.y.channels();
  dense.run();
  const T nothing = std::numeric_limits<T>::quiet_NaN(), mark = T(7);
  Wide<T, D> x(2, grid, inputs, nothing), ybar(2, dense.y.grid(), outputs, nothing);
  Wide<T, D> y(2, dense.y.grid(), outputs, mark), xbar(2, grid, inputs, mark);
  x.copy(dense.x);
  ybar.copy(dense.ybar);
  std::vector<T> wbar(dense.w.size(), T(1));
  dense.layer({dense.w, x.view, y.view, ybar.view, xbar.view, wbar, Write::add});

  const double small = 300 * double(std::numeric_limits<T>::epsilon());
  const auto compare = [&](const Wide<T, D>& wide, const Field<T, D>& expected, const char* what) {
    INFO(what);
    double error = 0;
    bool beside = true;
    for (Index r = 0; r < wide.view.rows(); ++r) {
      for (Index c = 0; c < wide.view.channels; ++c) {
        const double e =
            std::abs(double(wide.view.row(r)[c]) - double(mark) - double(expected.view().row(r)[c]));
        error = e <= error ? error : e;
      }
      const T* const row = wide.whole.view().row(r);
      for (Index c = 0; c < 5; ++c) beside = beside && row[c < 2 ? c : wide.view.channels + c] == mark;
    }
    CHECK(error <= small);
    CHECK(beside);
  };
  compare(y, dense.y, "y");
  compare(xbar, dense.xbar, "xbar");
  for (std::size_t i = 0; i < wbar.size(); ++i)
    CHECK(double(wbar[i]) - 1 == doctest::Approx(double(dense.wbar[i])).epsilon(small).scale(20));

  // without x̄, and without a vjp that follows
  std::vector<T> again(dense.w.size(), T(0));
  Field<T, D> y_again = dense.y;
  dense.layer({dense.w,
               std::as_const(dense.x).view(),
               y_again.view(),
               std::as_const(dense.ybar).view(),
               {},
               again,
               Write::set});
  for (std::size_t i = 0; i < again.size(); ++i)
    CHECK(double(again[i]) == doctest::Approx(double(dense.wbar[i])).epsilon(small).scale(20));
  const Field<T, D> recorded = dense.y;
  dense.run(false);
  CHECK(std::equal(recorded.span().begin(), recorded.span().end(), dense.y.span().begin()));
}
template <class L, class T = float, int D> void check_strided(const Grid<D>& grid) {
  Dense<L, T, D> dense(grid);
  check_strided<T, D>(dense, std::string(L::name) + " on " + grid.str());
}

}  // namespace mno::test
