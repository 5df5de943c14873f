#pragma once
// What the experiments on squares share: the methods, their training, and the tables of all of them with
// controls around the best of those that give a field.
//
//   mno-factorised, mno            laws: an axis at a time, and a box of modes
//   ffno, fno                      fields by the same two layers
//   unet, unet-zero, resnet        fields by stencils of three points
//
// All have the same known fields, batch, optimiser and number of steps; `fit` chooses the rest for each.
#include "study.hpp"

namespace experiment::planes {

// The full forms of all four experiments together are to take less than three hours on two cores.
inline constexpr Sizes full{512, 64, 64, 32, 0, 3}, quick{64, 16, 16, 16, 12, 1};
inline const program::ShapeNumbers shape{"mno-factorised", 2, 1, 16, 32, 12, 4, 0};
inline constexpr Index steps = 1200, batch = 16;

/// Points on each axis that models are trained on: as the command line says, or 32.
Index points(const Study& study);
mno::spde::NavierStokes flow(const Study& study, Index wavenumber = 4);

/// One model per method and pair: mno-factorised and the kinds of --rivals, or these. Nothing is trained yet.
std::vector<Trained> train(Study& study, const Splits& data, const std::vector<std::string>& rivals);

/// The method with the least error of the mean on validation, over all pairs, among those that give a field;
/// null if there are only laws.
const Trained* best_field(const std::vector<Trained>& all);

/// Scores of all and of controls around the best field, what training took, and beside them, by channel:
///
///   mean_rmse, var_rmse    in normalised coordinates
///   variance_ratio         the law's variance over that of the members, means over conditions and points
///   square_ratio           E u² likewise, in the units of the data: of a vorticity, the enstrophy
void tables(Study& study, const Study::Place& place, const std::vector<Trained>& all, const Data& test);

}  // namespace experiment::planes
