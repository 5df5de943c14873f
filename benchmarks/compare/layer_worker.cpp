// Our side of the comparison of single layers: a batch of 8 samples with 48 channels, one thread; `first` has
// 3 channels on the way in, `head` 3 on the way out.
//
//   layer_worker
// prints "ready" and answers commands:
//   names                        of the layers
//   check LAYER FILE             x, ybar, w, and what comes of them: y, xbar, wbar
//   forward LAYER SECONDS CLOCK  runs for that long; answers with the milliseconds of each, of which the
//   clock
//                                is `wall`, or `cpu` for processor time
//   both LAYER SECONDS CLOCK     the same for forward and vjp
#include <iostream>
#include <map>

#include "mno/io/safetensors/writer.hpp"
#include "mno/layer/conv.hpp"
#include "mno/layer/factorised_spectral.hpp"
#include "mno/layer/group_norm.hpp"
#include "mno/layer/pooling.hpp"
#include "timing.hpp"

namespace {

using namespace mno;

struct Case {
  virtual ~Case() = default;
  virtual void forward() = 0;
  virtual void vjp() = 0;
  virtual void write(const std::string& file) const = 0;
};

template <class L> class LayerCase : public Case {
 public:
  explicit LayerCase(Index points)
      : x_(8, Grid<2>{{points, points}}, L::inputs),
        y_(8, output_grid<L>(x_.grid()), L::outputs),
        ybar_(8, y_.grid(), L::outputs),
        xbar_(8, x_.grid(), L::inputs),
        w_(L::parameters),
        wbar_(L::parameters) {
    Stream random(1);
    L::template initialise<float>(w_, random);
    for (float& value : x_.span()) value = float(random.normal());
    for (float& value : ybar_.span()) value = float(random.normal());
  }
  void forward() override {
    workspace_.trace.release();
    P pass(workspace_);
    forward_of<L, P>(w_, std::as_const(x_).view(), y_.view(), trace_, pass, Write::set);
  }
  void vjp() override {
    std::fill(wbar_.begin(), wbar_.end(), 0.f);
    P pass(workspace_);
    vjp_of<L, P>(w_, std::as_const(ybar_).view(), trace_, wbar_, xbar_.view(), pass, Write::set);
  }
  void write(const std::string& file) const override {
    std::vector<io::NamedArray> arrays;
    const auto add = [&](const char* name, const Field<float, 2>& field) {
      const auto& points = field.grid().points;
      arrays.emplace_back(name, io::Extents{field.batch(), points[0], points[1], field.channels()},
                          field.span());
    };
    add("x", x_), add("y", y_), add("xbar", xbar_), add("ybar", ybar_);
    if (L::parameters > 0) {
      const io::Extents all{Index(L::parameters)};
      arrays.emplace_back("w", all, std::span<const float>(w_));
      arrays.emplace_back("wbar", all, std::span<const float>(wbar_));
    }
    io::write_safetensors(file, arrays);
  }

 private:
  using P = Pass<float, 2>;
  Workspace workspace_;
  Field<float, 2> x_, y_, ybar_, xbar_;
  std::vector<float> w_, wbar_;
  TraceOf<L, P> trace_;
};

}  // namespace

int main() try {
  std::map<std::string, std::unique_ptr<Case>> cases;
  const auto add = [&]<class L>(const std::string& name, L, Index points) {
    cases[name] = std::make_unique<LayerCase<L>>(points);
  };
  for (const Index points : {8, 16, 64})
    add("conv_circular_" + std::to_string(points), Conv<48, 48, 2, 3, Circular>{}, points);
  add("conv_zero_64", Conv<48, 48, 2, 3, Zero>{}, 64);
  add("conv_reflecting_64", Conv<48, 48, 2, 3, Reflecting>{}, 64);
  add("conv_stride_64", Conv<48, 48, 2, 3, Zero, 2>{}, 64);
  add("conv_first_64", Conv<3, 48, 2, 3, Zero>{}, 64);
  add("conv_head_64", Conv<48, 3, 2, 3, Zero>{}, 64);
  add("norm_64", GroupNorm<48, 8>{}, 64);
  add("maxpool_64", MaxPool<48, 2>{}, 64);
  add("factorised_64", FactorisedSpectralConv<48, 48, 2, 16>{}, 64);
  std::cout << "ready" << std::endl;
  std::string command, name;
  while (std::cin >> command) {
    if (command == "names") {
      for (const auto& [known, layer] : cases) std::cout << known << ' ';
      std::cout << std::endl;
      continue;
    }
    std::cin >> name;
    Case& layer = *cases.at(name);
    if (command == "check") {
      std::string file;
      std::cin >> file;
      layer.forward();
      layer.vjp();
      layer.write(file);
      std::cout << "ok" << std::endl;
    } else {
      double seconds = 0;
      std::string clock;
      std::cin >> seconds >> clock;
      const bool both = command == "both";
      std::cout << times_of(seconds, clock == "cpu", [&] {
        layer.forward();
        if (both) layer.vjp();
      }) << std::endl;
    }
  }
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
