// expect: a layer needs `template <class Pass> static void vjp(Weights<Pass> w, In<Pass> ybar
#include <mno/expression/oracle.hpp>

struct Doubled {
  static constexpr int inputs = 1, outputs = 1;
  static constexpr const char* name = "doubled";
  static constexpr std::array<mno::Parameter, 0> leaves{};
  static constexpr std::size_t parameters = 0;
  template <class T> static void initialise(std::span<T>, mno::Stream&) {}
  template <class Pass> struct Trace {};
  template <class Pass>
  static void forward(mno::Weights<Pass>, mno::In<Pass>, mno::Out<Pass>, Trace<Pass>&, Pass&) {}
#ifdef MNO_CONTROL
  template <class Pass>
  static void vjp(mno::Weights<Pass>, mno::In<Pass>, const Trace<Pass>&, mno::WeightsBar<Pass>,
                  mno::Out<Pass>, Pass&) {}
#endif
};
const auto report = mno::check_gradients<Doubled, 1>(mno::Grid<1>{{4}});
