#pragma once
// A model against ensembles that it has not seen.
#include <mno/metric/moments.hpp>

#include "operator.hpp"
#include "report/parts.hpp"

namespace program {

/// Which samples of a file, and on which grid.
struct Selection {
  std::optional<double> time{};       // those of this time; all
  mno::Index points = 0;              // points to keep on every axis, evenly spaced; 0: all
  std::vector<mno::Index> samples{};  // these; none: all
  mno::Index members = 0;             // the first so many of every condition; 0: all
  mno::Index draws = 64;              // of every condition, of an operator with noise inside
  std::uint64_t seed = 0;             // of these
};

/// One condition as the model and the ensemble see it, in normalised coordinates.
template <int D> struct Prediction {
  mno::Index sample = 0;  // of the file
  float time = 0;
  const mno::Field<float, D>& initial;
  const mno::Law<float, D, mno::AnyResidual>& law;  // of this condition alone
  const mno::metric::Members& draws;    // (entry, draw) of noise inside, whose law this is, or that of the
                                        // model if it knows it; none: the model gives no draws
  const mno::metric::Members& members;  // (entry, member)
  const mno::metric::Members& further;  // those beyond the selection
  std::uint64_t origin = 0,
                content = 0;  // tell apart what is independent (initial fields, trajectories), and conditions
};

template <int D>
void for_each_prediction(const Predictor<D>& model, mno::io::EnsembleReader& file, const Selection& selection,
                         const std::function<void(const Prediction<D>&)>& sink);

struct EvaluateRequest {
  std::filesystem::path model{};
  std::filesystem::path fields{};  // where moments per condition go; empty: nowhere
  Selection selection{};
  mno::Index draws = 0;     // per condition; 0: as many as there are members, 64 where these are few
  mno::Index examples = 3;  // of the worst conditions, beside a typical one; 0: nothing to look at
  std::vector<std::string> metrics{};  // none: all
  bool floors = true;
  std::uint64_t seed = 0;
  int threads = 1;
};
struct Evaluation {
  using Rows = std::vector<mno::report::Row>;
  Rows rows{};                     // metric, value, floor and at; the caller sets the rest
  Rows climatology{}, constant{};  // the same of the references, where the model file has them
  std::optional<mno::report::Verdict> verdict{};
  mno::report::DataNote data{};  // without a name
  std::optional<mno::report::Conditions> conditions{};
  std::vector<mno::report::Example> examples{};
  std::vector<mno::report::Image> images{};
  mno::report::Calibration calibration{};
  std::optional<mno::report::PitHistogram> pit{};
  mno::report::Spectra spectra{};
};

/// "64 members each", "one draw each" and so on.
std::string members_text(const mno::io::EnsembleReader& data);

/// The number of draws per condition for this request.
mno::Index draws_of(const mno::io::EnsembleReader& data, const EvaluateRequest& request);

/// Every metric with its floor, as metric/scorecard.hpp has them, and pictures of some conditions.
Evaluation evaluate(mno::io::EnsembleReader& data, const EvaluateRequest& request);

/// What a law and draws from it take, on one thread.
struct Cost {
  double law_seconds = 0;   // of one condition
  double draw_seconds = 0;  // of one draw, the law included
  double law_bytes = 0;     // mean and factor
  double peak_bytes = 0;    // the law, one draw and the workspace of the prediction
};
template <int D> Cost cost(const Predictor<D>& model, mno::io::EnsembleReader& data, mno::Index draws);

/// Seconds, over conditions.
struct Times {
  double median = 0, quartile_1 = 0, quartile_3 = 0;
};
/// The time that each model takes for so many draws of one condition or, where `draws` is 0, for mean and
/// variance. A model that gives only draws takes these from 100 of them. Models take turns, on one thread.
template <int D>
std::vector<Times> times(const std::vector<std::unique_ptr<Predictor<D>>>& models,
                         mno::io::EnsembleReader& data, mno::Index draws);

}  // namespace program
