// Activations against PyTorch.
#include "../reference/reference.hpp"

using namespace mno;

namespace {

template <class Function, class T> void compare_function(const reference::File& file) {
  std::vector<T> value, slope;
  for (const T x : file.values<T>("x")) {
    const auto f = Function::at(x);
    value.push_back(f.value);
    slope.push_back(f.derivative);
  }
  reference::Worst worst;
  worst.compare<T>(file, Function::name, value);
  worst.compare<T>(file, std::string(Function::name) + "_slope", slope);
  MESSAGE(std::string(Function::name)
          << " in " << reference::scalar<T>() << ": largest relative error " << worst.error);
}

}  // namespace

TEST_CASE_TEMPLATE("activations and their derivatives agree with PyTorch far into the tails", T, double,
                   float) {
  const reference::File file("activations");
  compare_function<GeluFunction, T>(file);
  compare_function<SiluFunction, T>(file);
  compare_function<TanhFunction, T>(file);
  compare_function<ReluFunction, T>(file);
}

TEST_CASE("gelu keeps its digits in the left tail, point by point") {
  const reference::File file("activations");
  const auto x = file.values<double>("tail");
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto f = GeluFunction::at(x[i]);
    const double value = file["gelu_tail"].values[i], slope = file["gelu_tail_slope"].values[i];
    const double error = std::max(std::abs(f.value / value - 1), std::abs(f.derivative / slope - 1));
    CHECK_MESSAGE(error <= 1e-10, "gelu(" << x[i] << ") has relative error " << error);
    largest = std::max(largest, error);
  }
  MESSAGE("gelu in the left tail: largest relative error " << largest);
}
