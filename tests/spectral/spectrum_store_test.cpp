// Blocks find their samples' places among those of the whole batch.
#include "mno/spectral/spectrum_store.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace mno;

TEST_CASE("every coefficient of every sample, layer and side has a place of its own") {
  SpectrumStore<float> store;
  CHECK(store.empty());
  store.add({.offset = 7, .parameters = 10, .modes = 3, .inputs = 2, .outputs = 5});
  store.add({.offset = 90, .parameters = 10, .modes = 4, .inputs = 5, .outputs = 1});
  CHECK(store.numbers_per_sample() == 2 * 3 * 7 + 2 * 4 * 6);
  store.begin(/*first=*/20, /*samples=*/6);
  std::set<const float*> places;
  const auto visit = [&](const Spectrum<float>& z) {
    for (Index k = 0; k < z.modes; ++k)
      for (Index b = 0; b < z.batch; ++b)
        for (Index i = 0; i < 2 * z.channels; ++i) CHECK(places.insert(z.at(k, b) + i).second);
  };
  for (const auto& layer : store.layers())
    for (const Index first : {20, 24})  // two blocks, of four samples and of two
      for (const bool input : {true, false})
        visit(input ? store.input(layer, layer.modes, first, first == 20 ? 4 : 2)
                    : store.output_bar(layer, layer.modes, first, first == 20 ? 4 : 2));
  CHECK(places.size() == 6 * store.numbers_per_sample());
  CHECK(store.layer(90).outputs == 1);
  CHECK_THROWS_AS(store.layer(8), Error);
}
