#pragma once
// Ensembles of the equations, for other commands.
#include <filesystem>
#include <mno/simulate/burgers.hpp>
#include <mno/simulate/coupled_heat.hpp>
#include <mno/simulate/gray_scott.hpp>
#include <mno/simulate/heat.hpp>
#include <mno/simulate/kuramoto_sivashinsky.hpp>
#include <mno/simulate/navier_stokes.hpp>
#include <mno/simulate/phi4.hpp>
#include <mno/simulate/phi4_plane.hpp>
#include <mno/simulate/phi4_spdebench.hpp>
#include <mno/simulate/plane_heat.hpp>
#include <mno/simulate/reaction.hpp>
#include <mno/simulate/rough_volatility.hpp>
#include <string>
#include <variant>

#include "progress.hpp"

namespace program {

using Equation = std::variant<mno::spde::Burgers, mno::spde::Phi4, mno::spde::Phi4SpdeBench,
                              mno::spde::RoughVolatility, mno::spde::Heat, mno::spde::KuramotoSivashinsky,
                              mno::spde::CoupledHeat, mno::spde::PlaneHeat, mno::spde::NavierStokes,
                              mno::spde::GrayScott, mno::spde::Phi4Plane, mno::spde::Reaction>;

/// As mno simulate calls it.
std::string name_of(const Equation& equation);
/// Every constant, so that equal texts are equal equations.
std::string description(const Equation& equation);
mno::Index points_of(const Equation& equation);
mno::Index channels_of(const Equation& equation);

/// Draws ensembles into an .npz file. False if it was interrupted: then nothing is written.
bool simulate_equation(const Equation& equation, const mno::Sampling& sampling,
                       const std::filesystem::path& output, int threads, Progress& progress);

}  // namespace program
