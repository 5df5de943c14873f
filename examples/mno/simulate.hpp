#pragma once
// Ensembles of the equations, for other commands.
#include <filesystem>
#include <string>
#include <variant>

#include "equations.hpp"
#include "progress.hpp"

namespace program {

using Equation =
    std::variant<mno::spde::Burgers, mno::spde::Phi4, mno::spde::Phi4SpdeBench, mno::spde::RoughVolatility,
                 mno::spde::Heat, mno::spde::KuramotoSivashinsky, mno::spde::CoupledHeat,
                 mno::spde::PlaneHeat, mno::spde::NavierStokes, mno::spde::GrayScott, mno::spde::Phi4Plane,
                 mno::spde::Reaction, mno::spde::JumpHeat, mno::spde::HeavyHeat, mno::spde::DriftAndNoise,
                 mno::spde::FiniteRank>;

/// As mno simulate calls it.
std::string name_of(const Equation& equation);
/// Every constant, so that equal texts are equal equations.
std::string description(const Equation& equation);
/// The shape of its files: axes, points on each of them, channels, known fields.
struct DataShape {
  int dimension = 1;
  mno::Index points = 0, channels = 1, known = 0;
};
DataShape data_shape(const Equation& equation);

/// Draws ensembles into an .npz file, the times of a sample as one path where that is asked for
/// (mno/data/paths.hpp). False if it was interrupted: then nothing is written.
bool simulate_equation(const Equation& equation, const mno::Sampling& sampling,
                       const std::filesystem::path& output, int threads, Progress& progress,
                       bool paths = false);

}  // namespace program
