// The device itself: memory, errors, random integers, Eigen's expressions.
#include "mno/cuda/device.hpp"

#include <doctest/doctest.h>

#include "eigen_gpu.hpp"
#include "mno/cuda/eigen.hpp"
#include "mno/cuda/gradient.hpp"
#include "mno/cuda/reduce.hpp"
#include "support.hpp"

using namespace mno;
using standin::test::Clean;

namespace {

struct Line {
  static constexpr int dimension = 1, channels = 1, rank = 2, width = 4, modes = 3, depth = 1, projection = 4;
};

template <class E = std::exception, class F> std::string sentence(F&& f) {
  try {
    f();
  } catch (const E& error) {
    return error.what();
  }
  return "no error";
}

struct Squares {
  double* to;
  MNO_HOST_DEVICE void operator()(Index i) const { to[i] = double(i) * double(i); }
};
struct Philox {
  std::uint32_t* to;
  MNO_HOST_DEVICE void operator()(Index i) const {
    const auto block = philox({std::uint32_t(i), 7, 0, 3}, {11, 13});
    for (std::size_t j = 0; j < 4; ++j) to[4 * std::size_t(i) + j] = block[j];
  }
};
struct Term {
  MNO_HOST_DEVICE double operator()(Index segment, Index i) const {
    return 1.0 / double(1 + segment * 1000 + i);
  }
};

}  // namespace

TEST_CASE("for_each reaches every index, however many threads there are") {
  const Clean clean;
  Cuda device;
  for (const Index n : {1, 255, 256, 257, 100000}) {
    std::vector<double> got(std::size_t(n), -1.0);
    device.run(1, [&](Index) {
      double* const there = device.arena().keep<double>(std::size_t(n));
      device.for_each(n, Squares{there});
      device.download(there, got.data(), std::size_t(n));
    });
    device.wait();
    bool right = true;
    for (Index i = 0; i < n; ++i) right = right && got[std::size_t(i)] == double(i) * double(i);
    CHECK(right);
  }
}

TEST_CASE("the device draws the host's integers") {
  const Clean clean;
  Cuda device;
  std::vector<std::uint32_t> got(4000);
  device.run(1, [&](Index) {
    auto* const there = device.arena().keep<std::uint32_t>(got.size());
    device.for_each(1000, Philox{there});
    device.download(there, got.data(), got.size());
  });
  device.wait();
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const auto block = philox({i, 7, 0, 3}, {11, 13});
    for (std::size_t j = 0; j < 4; ++j) CHECK(got[4 * i + j] == block[j]);
  }
}

TEST_CASE("a sum has the same bits in every order of the threads") {
  const Clean clean;
  Cuda device;
  std::vector<double> first;
  for (const std::uint64_t order : {0u, 1u, 2u, 3u, 4u}) {
    standin::settings().thread_order = order;
    standin::settings().blocks = order == 4 ? 2 : 0;
    for (const auto neighbours : {cuda::Neighbours::terms, cuda::Neighbours::segments}) {
      std::vector<double> sums(3);
      device.run(1, [&](Index) {
        double* const there = device.arena().keep<double>(3);
        cuda::reduce<double>(device, 3, 12345, Term{}, there, neighbours);
        device.download(there, sums.data(), 3);
      });
      device.wait();
      if (first.empty()) first = sums;
      CHECK(sums == first);
    }
  }
  double expected = 0;
  for (Index i = 0; i < 12345; ++i) expected += Term{}(2, i);
  CHECK(first[2] == doctest::Approx(expected).epsilon(1e-13));
}

TEST_CASE("after the first call nothing is allocated") {
  const Clean clean;
  Cuda device;
  const Mno<Line> model(1);
  const Field<float, 1> u(8, {{16}}, 1);
  Law<float, 1> law(Field<float, 1>(8, {{16}}, 1), Field<float, 1>(8, {{16}}, 2));
  const float t = 0.5f;
  predict_into(model, {u.view(), {&t, 1}}, law, device);
  const auto before = standin::counts().allocations;
  const auto held = standin::usage();
  for (int i = 0; i < 3; ++i) predict_into(model, {u.view(), {&t, 1}}, law, device);
  CHECK(standin::counts().allocations == before);
  CHECK(standin::usage() == held);
  CHECK(held.device_allocations == 1);
}

TEST_CASE("a device gives everything back") {
  const Clean clean;
  const auto before = standin::usage();
  {
    Cuda device;
    const Mno<Line> model(1);
    predict(model, Field<float, 1>(2, {{16}}, 1), 0.5f, device);
  }
  CHECK(standin::usage() == before);
}

TEST_CASE("Eigen's elementwise expressions run on the same stream") {
  const Clean clean;
  Cuda device;
  const cuda::EigenDevice eigen(device);
  const std::vector<float> x{-1, 0, 0.5f, 2};
  std::vector<float> y(4);
  device.run(1, [&](Index) {
    float *const a = device.arena().keep<float>(4), *const b = device.arena().keep<float>(4);
    device.upload(x.data(), a, 4);
    if (!device.measuring()) {
      auto to = cuda::tensor(b, 4);
      const auto from = cuda::tensor(a, 4);
      to.device(eigen.gpu()) = from * 2.0f + from.exp();
    }
    device.download(b, y.data(), 4);
  });
  device.wait();
  for (std::size_t i = 0; i < 4; ++i) CHECK(y[i] == doctest::Approx(2 * x[i] + std::exp(x[i])));
}

TEST_CASE("without memory the error says how much was asked for and which batch would fit") {
  const Clean clean;
  const Mno<Line> model(1);
  auto gradient = model.zeros();
  const Field<float, 1> u(256, {{64}}, 1), mean_bar(256, {{64}}, 1), factor_bar(256, {{64}}, 2);
  const float t = 0.5f;
  standin::settings().total_memory = std::size_t(2) << 20;
  Cuda device;
  const std::string message = sentence<DeviceOutOfMemory>([&] {
    vjp(model, {u.view(), {&t, 1}}, mean_bar, factor_bar, gradient, device);
  });
  INFO(message);
  CHECK(message.find(" MiB left (") != std::string::npos);
  const auto at = message.find("It was asked for a batch of 256; a batch of ");
  REQUIRE(at != std::string::npos);
  const Index fits =
      std::atol(message.c_str() + at + std::string("It was asked for a batch of 256; a batch of ").size());
  CHECK(fits > 1);
  const auto first = [&](const Field<float, 1>& field, Index n) {
    Field<float, 1> some(n, field.grid(), field.channels());
    std::copy_n(field.data(), some.size(), some.data());
    return some;
  };
  const auto runs = [&](Index n) {
    vjp(model, {u.view().samples(0, n), {&t, 1}}, first(mean_bar, n), first(factor_bar, n), gradient, device);
  };
  runs(fits);  // it does
  CHECK_THROWS_AS(runs(fits + fits / 4 + 2), DeviceOutOfMemory);
  CHECK(predict(model, u, 0.5f, device).batch() == 256);  // as many samples at a time as fit
}

TEST_CASE("a device that is not there") {
  const Clean clean;
  CHECK(sentence<Error>([&] { Cuda(CudaOptions{.device = 5}); }) ==
        "mno::Cuda: argument 'device': expected a number below 1, the devices that CUDA sees, got 5.");
}

TEST_CASE("errors name the call, its size and the device") {
  const Clean clean;
  Cuda device;
  standin::fail_call(1);
  const std::string message = sentence<CudaError>([&] { device.for_each(77, Squares{nullptr}); });
  CHECK(message.find("mno::Cuda: a kernel (77 items) on device 0 (") == 0);
  CHECK(message.find(" failed with cudaError") != std::string::npos);
}

TEST_CASE("whichever call fails, making a device ends in a sentence and leaves nothing behind") {
  const Clean clean;
  const auto before = standin::usage();
  int failures = 0;
  for (std::uint64_t n = 1;; ++n) {
    standin::fail_call(n);
    const std::string message = sentence<CudaError>([&] { Cuda device; });
    if (standin::failure_pending()) break;  // it needed fewer calls
    CAPTURE(n);
    CHECK(standin::usage() == before);
    if (message == "no error") continue;  // the destructor waits for the stream, and has nobody to tell
    CHECK_MESSAGE(message.find("mno::Cuda: ") == 0, message);
    ++failures;
  }
  CHECK(failures >= 6);
}
