// mno._core: what the package needs of the library. Arrays come and go as (sample, channel, x…); what is more
// friendly than that is Python's.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <mno/core/version.hpp>
#include <mno/io/safe_file.hpp>
#include <mno/io/safetensors/model_file.hpp>

#include "model.hpp"
#include "simulate.hpp"

namespace {

using namespace package;
using namespace nb::literals;

/// Sentences become exceptions of the class that a caller expects; std:: ones are translated by nanobind.
void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const io::CannotWrite& error) {
    PyErr_SetString(PyExc_OSError, error.what());
  } catch (const demand::NoToolchain& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  } catch (const demand::Interrupted&) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
  }
}

std::map<std::string, std::string> metadata(const std::string& file) {
  const io::SafetensorsReader reader(file);
  const io::Metadata& all = io::model_metadata(reader);
  return {all.begin(), all.end()};
}

void write_file(const std::string& path, nb::bytes content) {
  const nb::gil_scoped_release released;
  io::SafeFile file(path);
  file.write(std::string_view(content.c_str(), content.size()));
  file.commit();
}

using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

Doubles marginals_of(const std::string& residual, const std::string& what, const Numbers& mean,
                     const Numbers& sd, const Numbers& at) {
  std::vector<double> all =
      marginals(residual, what, {mean.data(), mean.size()}, {sd.data(), sd.size()}, {at.data(), at.size()});
  const std::size_t count = all.size();
  return array_of(std::move(all), {count});
}

}  // namespace

NB_MODULE(_core, m) {
  nb::register_exception_translator(translate);
  m.attr("version") = mno::library_version;
  m.def("kinds", &demand::kind_names);
  m.def("fit", &fit, "data"_a, "validation"_a.none(), "options"_a, "model"_a, "checkpoint"_a, "say"_a,
        "after_epoch"_a, "together"_a.none());
  m.def("equations", &equations);
  m.def("simulate", &simulate, "name"_a, "constants"_a, "samples"_a, "members"_a, "seed"_a, "first_sample"_a,
        "times"_a, "threads"_a);
  m.def("metadata", &metadata, "file"_a);
  m.def("write_file", &write_file, "path"_a, "content"_a);
  m.def("marginals", &marginals_of, "residual"_a, "what"_a, "mean"_a, "sd"_a, "at"_a);

  nb::class_<AnyLaw>(m, "Law")
      .def(nb::init<const Floats&, const Floats&, const std::optional<Floats>&, const std::string&,
                    const std::string&, const std::vector<double>&, const std::vector<bool>&>(),
           "mean"_a, "factor"_a, "nugget"_a.none(), "residual"_a, "warp"_a, "length"_a, "bounded"_a)
      .def_prop_ro("dimension", &AnyLaw::dimension)
      .def_prop_ro("batch", &AnyLaw::batch)
      .def_prop_ro("channels", &AnyLaw::channels)
      .def_prop_ro("rank", &AnyLaw::rank)
      .def_prop_ro("has_nugget", &AnyLaw::has_nugget)
      .def_prop_ro("residual", &AnyLaw::residual)
      .def_prop_ro("warp", &AnyLaw::warp)
      .def_prop_ro("points", &AnyLaw::points)
      .def_prop_ro("length", &AnyLaw::length)
      .def_prop_ro("bounded", &AnyLaw::bounded)
      .def("own_mean", &AnyLaw::own_mean)
      .def("factor", &AnyLaw::factor)
      .def("nugget", &AnyLaw::nugget)
      .def("mean", &AnyLaw::mean)
      .def("variance", &AnyLaw::variance)
      .def("quantile", &AnyLaw::quantile, "p"_a)
      .def("exceedance", &AnyLaw::exceedance, "level"_a)
      .def("cdf", &AnyLaw::cdf, "u"_a)
      .def("crps", &AnyLaw::crps, "u"_a)
      .def("sample", &AnyLaw::sample, "count"_a, "seed"_a)
      .def("log_density", &AnyLaw::log_density, "u"_a, "noise_variance"_a)
      .def("condition", &AnyLaw::condition, "where"_a, "values"_a, "noise_variance"_a)
      .def("functionals", &AnyLaw::functionals, "weights"_a)
      .def(
          "scores",
          [](const AnyLaw& law, const Floats& draws, Index members, std::vector<std::string> metrics,
             std::uint64_t seed) {
            std::vector<std::tuple<std::string, double, std::optional<double>, std::optional<double>>> rows;
            for (const AnyLaw::Score& row : law.scores(draws, members, std::move(metrics), seed))
              rows.emplace_back(row.metric, row.value, row.floor, row.level);
            return rows;
          },
          "draws"_a, "members"_a, "metrics"_a, "seed"_a);

  nb::class_<Model>(m, "Model")
      .def(nb::init<const std::string&, int, nb::callable>(), "file"_a, "threads"_a, "say"_a)
      .def_prop_ro("shape",
                   [](const Model& model) {
                     const demand::ShapeNumbers shape = model.shape();
                     std::map<std::string, int> all;
                     demand::ShapeNumbers::for_each(
                         shape, [&](std::string_view name, int number) { all[std::string(name)] = number; });
                     return all;
                   })
      .def_prop_ro("dimension", [](const Model& model) { return model.shape().dimension; })
      .def_prop_ro("channels", [](const Model& model) { return model.shape().channels; })
      .def_prop_ro("kind", [](const Model& model) { return model.shape().kind; })
      .def_prop_ro("parameters", &Model::parameters)
      .def_prop_ro("stochastic", &Model::stochastic)
      .def_prop_ro("gives_law", &Model::gives_law)
      .def_prop_ro("warp", &Model::warp)
      .def_prop_ro("length", &Model::length)
      .def("predict", &Model::predict, "u0"_a, "t"_a, "fields"_a.none())
      .def("vjp", &Model::vjp, "u0"_a, "t"_a, "fields"_a.none(), "mean_bar"_a, "factor_bar"_a,
           "nugget_bar"_a.none())
      .def("draws", &Model::draws, "u0"_a, "t"_a, "fields"_a.none(), "count"_a, "seed"_a);
}
