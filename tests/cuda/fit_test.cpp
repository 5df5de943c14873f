// fit on a GPU's stand-in: the processor's surrogate to rounding, and a checkpoint where the device fails.
#include "mno/train/fit.hpp"

#include <doctest/doctest.h>

#include "io/scratch.hpp"
#include "mno/cuda.hpp"
#include "standin.hpp"

using namespace mno;

namespace {

struct Small {
  static constexpr int dimension = 1, channels = 1, rank = 2, width = 4, modes = 2, depth = 1, projection = 4;
};
using M = PathMno<Small, double>;

Ensemble<double, 1> data() {
  const Grid<1> grid{{8}};
  auto result = make_ensemble<double, 1>(std::vector<Index>(12, 5), grid, 1, {.members = true});
  for (Index e = 0; e < 12; ++e) {
    Stream random(1, std::uint64_t(e));
    Field<double, 1> initial(1, grid, 1), members(5, grid, 1);
    for (double& value : initial.span()) value = 20 + random.normal();
    for (double& value : members.span()) value = 20 + 0.5 * random.normal();
    set_condition<double, 1>(result, e, std::as_const(initial).view(), 1.0, e, std::as_const(members).view());
  }
  return result;
}

FitOptions quick() {
  FitOptions options;
  options.training.epochs = 2;
  options.training.batch = 4;
  return options;
}

double largest_difference(const Field<double, 1>& a, const Field<double, 1>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a.data()[i] - b.data()[i]));
  return largest;
}

}  // namespace

TEST_CASE("fit and predict on a GPU give the processor's law to rounding") {
  standin::reset();
  const auto all = data();
  Cuda cuda;
  const auto here = fit<M>(all, quick()).surrogate, there = fit<M>(all, quick(), cuda).surrogate;
  const auto expected = here.predict(all.condition()), law = there.predict(all.condition(), cuda);
  CHECK(largest_difference(law.mean, expected.mean) < 1e-8);
  CHECK(largest_difference(law.factor, expected.factor) < 1e-8);
  const auto start = there.predict(all.initial, 0.0, cuda);
  CHECK(std::ranges::equal(start.mean.span(), all.initial.span()));
  for (const auto& violation : standin::violations()) FAIL_CHECK(violation);
  standin::reset();
}

TEST_CASE("a device that fails leaves a checkpoint, from which the processor goes on") {
  standin::reset();
  const auto all = data();
  const Scratch scratch;
  FitOptions options = quick();
  options.checkpoint = scratch / "run.checkpoint";
  Cuda cuda;
  Index steps = 0;
  options.interrupted = [&] {
    if (++steps == 4) standin::fail_call(5);  // in the second epoch
    return false;
  };
  std::string sentence;
  try {
    fit<M>(all, options, cuda);
  } catch (const CudaError& error) {
    sentence = error.what();
  }
  CHECK(says(sentence, "The last good checkpoint is"));
  CHECK(says(sentence, "on another device too"));
  options.interrupted = {};
  options.resume = true;
  const auto [resumed, report] = fit<M>(all, options);
  CHECK(report.epochs_done == 2);
  const auto whole = fit<M>(all, quick()).surrogate;
  CHECK(largest_difference(resumed.predict(all.condition()).mean, whole.predict(all.condition()).mean) <
        1e-8);
  standin::reset();
}
