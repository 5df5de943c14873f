#pragma once
// The kinds of operators, a line each. The source of an operator includes the header of its own kind and
// names its model (shape_numbers.hpp), so a kind costs nothing where another one is compiled.
#include <string>
#include <string_view>
#include <vector>

namespace demand {

struct Kind {
  const char* name;                                // that users and model files say
  const char* header;                              // that has
  const char* model;                               // which is made of the numbers of a `Shape`
  int width = 0, depth = 0;                        // of the standard operator on lines and planes; 0: as all
  const char *first = nullptr, *second = nullptr;  // models of the shape that are trained in its place
};

// CMake reads these lines too: name, header and model are three strings behind a brace.
inline constexpr Kind kinds[] = {
    {"mno", "mno/model/model.hpp", "mno::Mno<Shape>"},
    {"mno-path", "mno/model/model.hpp", "mno::PathMno<Shape>"},              // a path from u_0 to the drift
    {"mno-nugget", "mno/model/model.hpp", "mno::NuggetMno<Shape>"},          // and a nugget
    {"mno-power", "mno/model/model.hpp", "demand::PowerMno<Shape>"},         // the factor behind t^h
    {"mno-split", "mno/model/model.hpp", "mno::Mno<demand::Split<Shape>>"},  // two backbones
    {"mno-conserving", "mno/model/conserving.hpp", "mno::ConservingMno<Shape>"},  // every draw has u_0's mass
    {"mno-separable", "mno/model/priors.hpp", "mno::SeparableMno<Shape>"},        // a drift of finite rank
    {"mno-mercer", "mno/model/priors.hpp", "mno::MercerMno<Shape>"},              // a factor of eigenpairs
    {"mno-factorised", "mno/model/factorised.hpp", "mno::FactorisedMno<Shape>"},  // an axis at a time
    {"fno", "mno/model/model.hpp", "demand::PlacedFno<Shape>"},  // a field, not a law, and so the next four
    {"ffno", "mno/model/factorised.hpp", "demand::PlacedFno<Shape, mno::FactorisedLayer<Shape>>"},
    {"unet", "mno/baseline/u_net.hpp", "mno::UNet<Shape>", 24, 3},
    {"unet-zero", "mno/baseline/u_net.hpp", "mno::UNet<Shape, float, mno::Zero>", 24, 3},  // nothing beyond
    {"resnet", "mno/baseline/res_net.hpp", "mno::ResNet<Shape>", 32, 6},
    {"noise-fno", "mno/baseline/noise_fno.hpp", "mno::NoiseFno<Shape>"},  // draws, and so all below but one
    {"noise-ffno", "mno/baseline/noise_ffno.hpp", "mno::NoiseFfno<Shape>"},
    {"wiener-chaos", "mno/baseline/wiener_chaos.hpp", "mno::WienerChaosDraws<Shape>"},
    {"sdeno", "mno/baseline/sdeno.hpp", "mno::Sdeno<Shape>"},
    {"f-spdeno", "mno/baseline/f_spdeno.hpp", "mno::FSpdeno<Shape>"},
    // A draw of these three runs networks in each of 8 steps of a solver: they are smaller.
    {"neural-sde", "mno/baseline/neural_sde.hpp", "mno::NeuralSde<demand::Narrow<Shape>, float, 8>", 24, 2},
    {"neural-cde", "mno/baseline/neural_cde.hpp", "mno::NeuralCde<Shape, float, 4, 8>", 48, 1},
    {"neural-spde", "mno/baseline/neural_spde.hpp", "mno::NeuralSpde<demand::Narrow<Shape>, float, 8>", 32,
     1},
    // A law: one step of the equation. Two networks, together as large as the others.
    {"neural-sde-transition", "mno/baseline/neural_sde.hpp", "mno::NeuralSdeTransition<Shape>", 32, 4},
    // Trained once: what differs is how many evaluations of its network a draw takes.
    {"diffusion-25", "mno/baseline/fit_diffusion.hpp", "mno::Diffusion<Shape, 25>", 0, 0, "mno::MeanFno",
     "mno::Denoiser"},
    {"diffusion-50", "mno/baseline/fit_diffusion.hpp", "mno::Diffusion<Shape, 50>", 0, 0, "mno::MeanFno",
     "mno::Denoiser"},
    {"diffusion-100", "mno/baseline/fit_diffusion.hpp", "mno::Diffusion<Shape, 100>", 0, 0, "mno::MeanFno",
     "mno::Denoiser"},
};

/// None: there is no such kind.
constexpr const Kind* kind_of(std::string_view name) {
  for (const Kind& kind : kinds)
    if (name == kind.name) return &kind;
  return nullptr;
}

inline std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const Kind& kind : kinds) names.push_back(kind.name);
  return names;
}

}  // namespace demand
