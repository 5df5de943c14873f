// Blocks find their samples' places among those of the whole batch, at every visit of a layer.
#include "mno/spectral/spectrum_store.hpp"

#include <doctest/doctest.h>

#include <array>
#include <set>

using namespace mno;

namespace {
using Store = SpectrumStore<float, 1>;
const std::array<float, 200> weights{};
const std::size_t offsets[] = {7, 90};
const Grid<1> fine{{16}}, coarse{{8}};
}  // namespace

TEST_CASE("every coefficient of every sample, visit and side has a place of its own") {
  Store store;
  store.learn(weights, offsets);
  // The layer at 7 is visited on two grids; in between, a visit that collects nothing.
  CHECK(!store.input(0, weights.data() + 7, {0, fine, 3, 2, 5}, 0, 1).data);
  CHECK(!store.input(1, weights.data() + 90, {0, fine, 4, 5, 1}, 0, 1).data);
  CHECK(!store.input(3, weights.data() + 7, {0, coarse, 2, 2, 5}, 0, 1).data);
  const std::vector<Store::Visit> noted(store.visits().begin(), store.visits().end());
  REQUIRE(noted.size() == 4);
  CHECK(noted[0].offset == 7);
  CHECK(noted[2].modes == 0);
  CHECK(noted[3].grid == coarse);

  store.use(weights, offsets, noted);
  CHECK(store.numbers_per_sample() == 2 * 3 * 7 + 2 * 4 * 6 + 2 * 2 * 7);
  store.begin(/*first=*/20, /*samples=*/6);
  std::set<const float*> places;
  const auto visit = [&](const Spectrum<float>& z) {
    for (Index k = 0; k < z.modes; ++k)
      for (Index b = 0; b < z.batch; ++b)
        for (Index i = 0; i < 2 * z.channels; ++i) CHECK(places.insert(z.at(k, b) + i).second);
  };
  for (const Index number : {0, 1, 3})
    for (const Index first : {20, 24}) {  // two blocks, of four samples and of two
      const Store::Visit& v = noted[std::size_t(number)];
      const Index batch = first == 20 ? 4 : 2;
      visit(store.input(number, weights.data() + v.offset, v, first, batch));
      visit(store.output_bar(number, first, batch));
    }
  CHECK(places.size() == 6 * store.numbers_per_sample());
}

TEST_CASE("only the layers that were named are collected") {
  Store store;
  store.learn(weights, offsets);
  CHECK(store.collects(weights.data() + 7));
  CHECK(!store.collects(weights.data() + 8));  // weights inside of a layer
  const float elsewhere = 0;
  CHECK(!store.collects(&elsewhere));  // weights that are not the model's
}

TEST_CASE("a visit that was not noted is refused") {
  Store store;
  store.learn(weights, offsets);
  store.input(0, weights.data() + 7, {0, fine, 3, 2, 5}, 0, 1);
  const std::vector<Store::Visit> noted(store.visits().begin(), store.visits().end());
  store.use(weights, offsets, noted);
  store.begin(0, 2);
  CHECK_THROWS_AS(store.input(0, weights.data() + 7, {0, coarse, 3, 2, 5}, 0, 1), Error);  // on another grid
  CHECK_THROWS_AS(store.input(1, weights.data() + 7, {0, fine, 3, 2, 5}, 0, 1), Error);    // once too often
  CHECK_THROWS_AS(store.input(0, weights.data() + 90, {0, fine, 3, 2, 5}, 0, 1), Error);   // another layer
}
