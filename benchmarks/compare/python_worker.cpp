// The C++ side of compare_python: the same operators on demand that the Python package has, asked without
// Python.
//
//   python_worker PREFIX predict MODEL POINTS       for every line N on standard input: N predictions of one
//   sample python_worker PREFIX train DATA RANK WIDTH MODES DEPTH EPOCHS MODEL      one training for every
//   line
//
// Answers are processor seconds, one line each. PREFIX has the headers that the package has, so that both
// find the same operator in the cache.
#include <cmath>
#include <cstdio>
#include <ctime>
#include <from_data.hpp>
#include <iostream>
#include <mno/io/zip/ensemble_file.hpp>
#include <operators.hpp>
#include <string>

namespace {

double seconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

template <class Work> void answer_lines(Work&& work) {
  std::puts("ready");
  std::fflush(stdout);
  for (std::string line; std::getline(std::cin, line);) {
    const double before = seconds();
    work(std::stol(line));
    std::printf("%.9g\n", seconds() - before);
    std::fflush(stdout);
  }
}

void predict(demand::Operators& operators, const std::string& model, mno::Index points) {
  const auto predictor = demand::OperatorIn<1>(operators.of_model(model)).load(model, 1);
  mno::Field<float, 1> u(1, {{points}, predictor->domain()}, 1);
  for (mno::Index p = 0; p < points; ++p) u(0, p, 0) = std::sin(float(p) / 10);
  const float t = 1;
  const mno::Condition<float, 1> condition{std::as_const(u).view(), {&t, 1}};
  float sum = 0;
  answer_lines([&](long count) {
    for (long i = 0; i < count; ++i) sum += predictor->predict(condition).mean(0, 0, 0);
  });
  if (!std::isfinite(sum)) std::puts("not finite");
}

void train(demand::Operators& operators, char** given) {
  answer_lines([&](long) {
    mno::io::EnsembleFile data(given[0]);
    demand::ShapeNumbers shape{.kind = "mno-nugget"};
    shape.rank = std::atoi(given[1]);
    shape.width = std::atoi(given[2]);
    shape.modes = std::atoi(given[3]);
    shape.depth = std::atoi(given[4]);
    demand::TrainRequest request;
    request.fit.training.epochs = std::atoi(given[5]);
    request.fit.data = "the data given";
    request.model = given[6];
    demand::train(operators.get(demand::shape_for(shape, data)), data, nullptr, request);
  });
}

}  // namespace

int main(int count, char** given) try {
  if (count < 5) return 2;
  demand::Operators operators({.prefix = given[1]});
  if (std::string(given[2]) == "predict")
    predict(operators, given[3], std::atol(given[4]));
  else
    train(operators, given + 3);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
