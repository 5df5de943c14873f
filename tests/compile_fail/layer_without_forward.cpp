// expect: a layer needs `template <class Pass> static void forward(Weights<Pass> w, In<Pass> x, Out<Pass> y,
#include <mno/expression/oracle.hpp>

struct Doubled {
  static constexpr int inputs = 1, outputs = 1;
  static constexpr const char* name = "doubled";
  static constexpr std::array<mno::Parameter, 0> leaves{};
  static constexpr std::size_t parameters = 0;
  template <class T> static void initialise(std::span<T>, mno::Stream&) {}
  template <class Pass> struct Trace {};
#ifdef MNO_CONTROL
  template <class Pass>
  static void forward(mno::Weights<Pass>, mno::In<Pass>, mno::Out<Pass>, Trace<Pass>&, Pass&) {}
#else  // the trace is missing
  template <class Pass> static void forward(mno::Weights<Pass>, mno::In<Pass>, mno::Out<Pass>, Pass&) {}
#endif
  template <class Pass>
  static void vjp(mno::Weights<Pass>, mno::In<Pass>, const Trace<Pass>&, mno::WeightsBar<Pass>,
                  mno::Out<Pass>, Pass&) {}
};
const auto report = mno::check_gradients<Doubled, 1>(mno::Grid<1>{{4}});
