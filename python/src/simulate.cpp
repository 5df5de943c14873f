// Ensembles of the equations that the program mno simulates, by the same names and constants.
#include "simulate.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <equations.hpp>

namespace package {

namespace {

template <class V> void set(const std::string& name, const nb::handle& given, V& variable) {
  if constexpr (std::is_same_v<V, mno::WallNoise>) {
    std::string kind;
    if (!nb::try_cast(given, kind)) throw nb::type_error("mno.simulate: walls: expected a text.");
    variable = program::walls_named(kind);
  } else if (!nb::try_cast(given, variable)) {
    throw nb::type_error(mno::Text("mno.simulate: ", name, ": expected a ",
                                   std::is_same_v<V, bool>       ? "truth value"
                                   : std::is_floating_point_v<V> ? "number"
                                                                 : "whole number",
                                   ", got ", nb::repr(given).c_str(), ".")
                             .str()
                             .c_str());
  }
}

template <class Equation>
nb::dict drawn(Equation equation, const nb::dict& given, mno::Sampling sampling, int threads,
               Session& session) {
  std::string known = "time";
  std::size_t taken = 0;
  const auto take = [&](std::string name, auto& variable, const char*) {
    std::ranges::replace(name, '-', '_');
    if (name != "time") known += ", " + name;
    if (!given.contains(name.c_str())) return;
    set(name, given[name.c_str()], variable);
    ++taken;
  };
  take("time", equation.time, "");
  program::constants(equation, take);
  mno::require(taken == given.size(), "simulate", "constants", mno::Text("some of ", known),
               mno::Text(nb::repr(given).c_str()));
  program::finish(equation, [&](const char* name) { return given.contains(name); });
  sampling.progress = [&session, main = std::this_thread::get_id()](Index, Index) {
    if (std::this_thread::get_id() == main) session.check();
  };
  constexpr int D = Equation::dimension;
  std::vector<float> initial, members;
  std::vector<double> times;
  {
    const nb::gil_scoped_release released;
    mno::Cpu device(threads);
    auto all = mno::collect<float>(equation, sampling, device);
    initial = mno::to_channel_first<float, D>(std::as_const(all.initial).view());
    members = mno::to_channel_first<float, D>(std::as_const(all.members).view());
    times = std::move(all.times);
  }
  const mno::Grid<D> grid = equation.grid();
  const std::size_t rows = times.size();
  std::vector<std::size_t> one{rows, std::size_t(Equation::channels)};
  for (const Index n : grid.points) one.push_back(std::size_t(n));
  std::vector<std::size_t> several = one;
  several.insert(several.begin() + 1, std::size_t(sampling.members));
  nb::dict data;
  data["u0"] = array_of(std::move(initial), one);
  data["uT"] = array_of(std::move(members), several);
  data["t"] = array_of(std::move(times), {rows});
  if (const auto known = program::known_of(equation); known.size() > 0) {
    std::vector<std::size_t> shape{std::size_t(known.channels())};
    for (const Index n : known.grid().points) shape.push_back(std::size_t(n));
    data["fields"] = array_of(mno::to_channel_first<float, D>(known.view()), shape);
  }
  data["length"] = std::vector<double>(grid.domain.length.begin(), grid.domain.length.end());
  data["bounded"] = std::vector<bool>(grid.domain.bounded.begin(), grid.domain.bounded.end());
  return data;
}

}  // namespace

std::vector<std::string> equations() {
  std::vector<std::string> names;
  program::for_each_equation([&](const char* name, const char*, const auto&) { names.push_back(name); });
  return names;
}

nb::dict simulate(const std::string& name, const nb::dict& constants, Index samples, Index members,
                  std::uint64_t seed, Index first_sample, const std::vector<double>& times, int threads) {
  Session session;
  mno::Sampling sampling{
      .samples = samples, .members = members, .seed = seed, .first_sample = first_sample, .times = times};
  std::optional<nb::dict> data;
  program::for_each_equation([&](const char* called, const char*, const auto& equation) {
    if (name == called) data = drawn(equation, constants, sampling, threads, session);
  });
  mno::require(data.has_value(), "simulate", "name", mno::Text("a name of mno.equations()"),
               mno::Text("'", name, "'"));
  return *data;
}

}  // namespace package
