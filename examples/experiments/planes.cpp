#include "planes.hpp"

#include <cmath>
#include <mno/io/safetensors/model_file.hpp>

#include "units.hpp"

namespace experiment::planes {

namespace {

/// Sums over conditions and points of one channel.
struct Channel {
  double count = 0, mean_error = 0, variance_error = 0;
  double variance = 0, true_variance = 0, square = 0, true_square = 0;

  std::vector<Row> rows(Index channel, bool stochastic) const {
    std::vector<Row> rows{{.metric = "mean_rmse", .value = std::sqrt(mean_error / count)},
                          {.metric = "square_ratio", .value = square / true_square}};
    if (stochastic) {
      rows.push_back({.metric = "var_rmse", .value = std::sqrt(variance_error / count)});
      rows.push_back({.metric = "variance_ratio", .value = variance / true_variance});
    }
    for (Row& row : rows) row.at = {{"channel", double(channel)}};
    return rows;
  }
};

std::vector<Row> by_channel(const Study& study, const Trained& trained, std::size_t pair, const Data& test) {
  const auto model = study.load<2>(trained, pair);
  std::vector<Channel> channels(std::size_t(test.channels));
  study.for_each_prediction<2>(trained, pair, test, [&](const program::Prediction<2>& p) {
    const auto law = mno::metric::moments(p.law, 0), truth = mno::metric::moments(p.members);
    const Eigen::VectorXd squares = in_units(p.members, *model).cwiseAbs2().rowwise().mean();
    for (Index i = 0; i < law.size(); ++i) {
      const auto c = std::size_t(i % test.channels);
      const double scale = model->normaliser().scale[c], shift = model->normaliser().shift[c];
      Channel& own = channels[c];
      ++own.count;
      own.mean_error += std::pow(law.mean[i] - truth.mean[i], 2);
      own.variance_error += std::pow(law.variance[i] - truth.variance[i], 2);
      own.variance += law.variance[i];
      own.true_variance += truth.variance[i];
      own.square += std::pow(law.mean[i] * scale + shift, 2) + law.variance[i] * scale * scale;
      own.true_square += squares[i];
    }
  });
  std::vector<Row> rows;
  const bool stochastic = model->stochastic() || model->gives_draws();
  for (Index c = 0; c < test.channels; ++c)
    for (const Row& row : channels[std::size_t(c)].rows(c, stochastic)) rows.push_back(row);
  return rows;
}

}  // namespace

Index points(const Study& study) { return study.options().points > 0 ? study.options().points : 32; }

mno::spde::NavierStokes flow(const Study& study, Index wavenumber) {
  mno::spde::NavierStokes flow;
  flow.wavenumber = wavenumber;
  flow.kept = points(study);
  return flow;
}

std::vector<Trained> train(Study& study, const Splits& data, const std::vector<std::string>& rivals) {
  Training training{.name = "auto, a given length", .steps = steps};
  training.options.batch = batch;
  std::vector<std::string> methods{"mno-factorised"};
  for (const std::string& rival : study.options().rivals.empty() ? rivals : study.options().rivals)
    if (rival != methods.front()) methods.push_back(rival);
  std::vector<Trained> all;
  for (const std::string& method : methods) {
    const std::string kind = method == "mno" ? "mno-nugget" : method;
    all.push_back(study.train(method, study.shape(kind), training, data));
  }
  return all;
}

const Trained* best_field(const std::vector<Trained>& all) {
  const Trained* best = nullptr;
  double least = 0;
  for (const Trained& one : all) {
    if (program::choose(one.shape).stochastic()) continue;
    double error = 0;
    for (const auto& model : one.models) {
      const mno::io::SafetensorsReader file(model);
      error += std::stod(mno::io::model_metadata(file).at("validation.mean_rmse"));
    }
    if (best && error >= least) continue;
    best = &one;
    least = error;
  }
  return best;
}

void tables(Study& study, const Study::Place& place, const std::vector<Trained>& all, const Data& test) {
  study.tables(place, all, test);
  if (const Trained* best = best_field(all)) study.tables(place, controls(*best), test);
  study.lengths(place, all);
  Study::Place channels = place;
  channels.table += "-channels";
  channels.paper_method = "none";
  for (const Trained& one : all) {
    std::vector<std::vector<Row>> pairs(one.models.size());
    study.for_each_pair(one, [&](std::size_t pair) { pairs[pair] = by_channel(study, one, pair, test); });
    study.table(channels, one.method, pairs);
  }
}

}  // namespace experiment::planes
