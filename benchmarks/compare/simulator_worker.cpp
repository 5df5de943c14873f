// Our side of the comparison of simulators: a stochastic equation, members of several initial conditions.
//
//   simulator_worker burgers|navier-stokes <threads> <samples> <members> <steps>
// prints "ready" and answers commands:
//   check FILE         u_0 and u_T without noise, and the variance of u_T with noise, on the simulated grid
//   run SECONDS CLOCK  simulations for that long; answers with the milliseconds of each, of which the clock
//   is
//                      `wall`, or `cpu` for the processor time of all threads
#include <iostream>
#include <sstream>

#include "mno/io/safetensors/writer.hpp"
#include "mno/simulate/burgers.hpp"
#include "mno/simulate/navier_stokes.hpp"
#include "timing.hpp"

namespace {

using namespace mno;

template <class Equation> struct Worker {
  Cpu device;
  Sampling sampling;
  Equation equation;

  void check(const std::string& file) {
    auto full = equation;
    full.kept = full.simulated;
    const auto noisy = collect<float>(full, sampling, device);
    full.sigma = 0;
    auto quiet_sampling = sampling;
    quiet_sampling.members = 1;
    const auto quiet = collect<float>(full, quiet_sampling, device);
    const Index points = full.grid().size();
    std::vector<float> variance;
    for (Index s = 0; s < sampling.samples; ++s)
      for (Index p = 0; p < points; ++p) {
        double sum = 0, square = 0;
        for (Index m = 0; m < sampling.members; ++m) {
          const double u = double(noisy.members(s * sampling.members + m, p, 0));
          sum += u;
          square += u * u;
        }
        const double n = double(sampling.members);
        variance.push_back(float((square - sum * sum / n) / (n - 1)));
      }
    io::Extents extents{sampling.samples};
    for (const Index n : full.grid().points) extents.push_back(n);
    std::vector<io::NamedArray> arrays;
    arrays.emplace_back("initial", extents, quiet.initial.span());
    arrays.emplace_back("quiet", extents, quiet.members.span());
    arrays.emplace_back("variance", extents, std::span<const float>(variance));
    io::write_safetensors(file, arrays);
  }

  std::string run(double seconds, bool processor) {
    return times_of(seconds, processor, [&] { collect<float>(equation, sampling, device); });
  }
};

/// What a worker of this equation answers, until there are no more commands.
template <class Equation> void serve(char** sizes) {
  Worker<Equation> worker{Cpu(std::stoi(sizes[0])), {}, {}};
  worker.sampling.samples = std::stoi(sizes[1]);
  worker.sampling.members = std::stoi(sizes[2]);
  const double dt = worker.equation.time / double(worker.equation.steps);
  worker.equation.steps = std::stoi(sizes[3]);
  worker.equation.time = dt * double(worker.equation.steps);
  std::cout << "ready" << std::endl;
  std::string command, argument, clock;
  while (std::cin >> command >> argument) {
    if (command == "check") {
      worker.check(argument);
      std::cout << "ok" << std::endl;
    } else {
      std::cin >> clock;
      std::cout << worker.run(std::stod(argument), clock == "cpu") << std::endl;
    }
  }
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string equation = argc == 6 ? argv[1] : "";
  if (equation == "burgers") {
    serve<spde::Burgers>(argv + 2);
  } else if (equation == "navier-stokes") {
    serve<spde::NavierStokes>(argv + 2);
  } else {
    std::cerr << "Usage: simulator_worker burgers|navier-stokes THREADS SAMPLES MEMBERS STEPS\n";
    return 2;
  }
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
