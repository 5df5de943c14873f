// Event risk: how probable is it that max |u(T, x)| ≥ 10 somewhere? The equation is a reaction whose noise
// grows with its size (simulate/reaction.hpp), in a hard and a nearly decided form. The paper's
// classification stands beside scores of the probabilities themselves. A condition is positive if the event
// happens in a tenth of its members.
//
// A law gives the probability by draws of its maximum (law/maximum.hpp). A deterministic operator gives a
// field, whose maximum is used in three ways: compared with 10, compared with a threshold that is tuned on
// the training conditions, and put into a logistic curve that is fitted there. A fourth way is direct: the
// same operator learns whether the event happens, from fields that are 1 in members in which it does and 0 in
// the others, by the squared error, which is the Brier score. The mean of its field over x, between 0 and 1,
// is the probability.
//
// The paper does not define two of its columns. We take its risk score as the mean probability, and its
// correlation of variance peaks as the correlation over conditions of max Var, predicted and of members.
#include <Eigen/Cholesky>
#include <mno/law/maximum.hpp>
#include <mno/metric/event_scores.hpp>

#include "derived.hpp"
#include "experiments.hpp"
#include "units.hpp"

namespace experiment {

namespace {

using mno::metric::EventScores;
using program::Prediction;
using Rows = std::vector<Row>;

constexpr double level = 10, positive = 0.1;

/// What is known of one condition, in the units of the data.
struct Outcome {
  Index happened = 0, members = 0;
  double probability = 0;                // by the model's law, or its draws
  double largest_mean = 0;               // max |E u|
  double mean_error = 0;                 // squared, over points
  double peak = 0, peak_of_members = 0;  // max Var
};

std::vector<Outcome> outcomes(Study& study, const Trained& trained, std::size_t pair, const Data& data) {
  const auto model = study.load(trained, pair);
  std::vector<Outcome> all;
  const auto share = [](const mno::metric::Members& values) {
    return Index((values.colwise().lpNorm<Eigen::Infinity>().array() >= level).count());
  };
  study.for_each_prediction(trained, pair, data, [&](const Prediction<1>& p) {
    const auto members = in_units(p.members, *model);
    Outcome one{.happened = share(members), .members = members.cols()};
    Eigen::VectorXd mean, variance;
    if (p.draws.size() > 0) {
      const auto draws = in_units(p.draws, *model);
      one.probability = double(share(draws)) / double(draws.cols());
      mean = draws.rowwise().mean();
      variance = (draws.colwise() - mean).rowwise().squaredNorm() / double(draws.cols() - 1);
    } else {
      const LawInUnits law = in_units(p.law, *model);
      one.probability = model->stochastic() ? mno::risk_anywhere(law, 0, level, {.seed = pair + 1}).value : 0;
      mean = mno::flat(mno::mean(law), 0).cast<double>();
      variance = mno::flat(mno::variance(law), 0).cast<double>();
    }
    const Eigen::VectorXd truth = members.rowwise().mean();
    one.largest_mean = mean.cwiseAbs().maxCoeff();
    one.mean_error = (mean - truth).squaredNorm() / double(mean.size());
    one.peak = variance.maxCoeff();
    one.peak_of_members =
        ((members.colwise() - truth).rowwise().squaredNorm() / double(members.cols() - 1)).maxCoeff();
    all.push_back(one);
  });
  return all;
}

/// Does the event happen? The members of the data as fields of 1 or 0.
Data as_events(const Data& data) {
  namespace io = mno::io;
  return derived(data, "event " + io::detail::number(level), [](io::EnsembleReader& from, io::NpzWriter& to) {
    const Index rows = from.samples(), members = from.most_members(), points = from.points()[0];
    std::vector<float> initial, happened;
    std::vector<double> times;
    from.for_each<float, 1>([&](Index, mno::Field<float, 1>& u0, float time, mno::Field<float, 1>& drawn) {
      initial.insert(initial.end(), u0.span().begin(), u0.span().end());
      times.push_back(double(time));
      const auto fields = mno::metric::members(std::as_const(drawn).view());
      for (Index m = 0; m < members; ++m) {
        const bool event = fields.col(m).lpNorm<Eigen::Infinity>() >= level;
        happened.insert(happened.end(), std::size_t(points), event ? 1.f : 0.f);
      }
    });
    to.write("u0", io::Array::of({rows, 1, points}, initial));
    to.write("uT", io::Array::of({rows, members, 1, points}, happened));
    to.write("t", io::Array::of({rows}, times));
  });
}

/// Outcomes of an operator that was trained on these events.
std::vector<Outcome> called(Study& study, const Trained& trained, std::size_t pair, const Data& events) {
  const auto model = study.load(trained, pair);
  std::vector<Outcome> all;
  study.for_each_prediction(trained, pair, events, [&](const Prediction<1>& p) {
    const auto members = in_units(p.members, *model);
    const LawInUnits law = in_units(p.law, *model);
    Outcome one{.happened = Index((members.row(0).array() > 0.5).count()), .members = members.cols()};
    one.probability = std::clamp(mno::flat(law.mean, 0).cast<double>().mean(), 0.0, 1.0);
    all.push_back(one);
  });
  return all;
}

double correlation(const std::vector<Outcome>& all) {
  const auto n = Index(all.size());
  Eigen::VectorXd a(n), b(n);
  for (Index i = 0; i < n; ++i) {
    a[i] = all[std::size_t(i)].peak;
    b[i] = all[std::size_t(i)].peak_of_members;
  }
  a.array() -= a.mean();
  b.array() -= b.mean();
  const double size = a.norm() * b.norm();
  return size > 0 ? a.dot(b) / size : 0;
}

template <class Probability>
EventScores scores(const std::vector<Outcome>& all, const Probability& probability) {
  EventScores result;
  for (const Outcome& one : all) result.add(probability(one), one.happened, one.members);
  return result;
}
Rows event_rows(const EventScores& of) {
  const auto confusion = of.confusion(positive, positive);
  Rows result{{.metric = "risk_score", .value = of.mean_probability()},
              {.metric = "precision", .value = confusion.precision},
              {.metric = "recall", .value = confusion.recall},
              {.metric = "f1", .value = confusion.f1},
              {.metric = "accuracy", .value = confusion.accuracy},
              {.metric = "brier", .value = of.brier()},
              {.metric = "brier_excess", .value = of.brier() - of.irreducible()},
              {.metric = "reliability", .value = of.reliability()},
              {.metric = "resolution", .value = of.resolution()},
              {.metric = "calibration_error", .value = of.calibration_error()},
              {.metric = "average_precision", .value = of.average_precision(positive)}};
  for (Row& row : result)
    if (row.metric == "brier") row.floor = of.irreducible();
  return result;
}
/// The scores of events, and further numbers of the law or field.
Rows rows(const std::vector<Outcome>& all, const EventScores& of) {
  double error = 0;
  for (const Outcome& one : all) error += one.mean_error / double(all.size());
  Rows result{{.metric = "mean_rmse", .value = std::sqrt(error)},
              {.metric = "var_peak_corr", .value = correlation(all)}};
  for (Row& row : event_rows(of)) result.push_back(std::move(row));
  return result;
}

/// The threshold of max |E u| with the largest F1 on these conditions.
double tuned_threshold(const std::vector<Outcome>& train) {
  double best = level, best_f1 = -1;
  for (const Outcome& at : train) {
    const auto called =
        scores(train, [&](const Outcome& c) { return double(c.largest_mean >= at.largest_mean); });
    if (const double f1 = called.confusion(positive, 0.5).f1; f1 > best_f1) {
      best_f1 = f1;
      best = at.largest_mean;
    }
  }
  return best;
}

/// P = 1/(1 + e^{−(a + b(x − 10))}), x = max |E u|, by Newton's method for the likelihood of all members.
struct Logistic {
  double a = 0, b = 0;
  double operator()(double x) const { return 1 / (1 + std::exp(-(a + b * (x - level)))); }
};
Logistic fit_logistic(const std::vector<Outcome>& train) {
  Logistic curve;
  for (int step = 0; step < 100; ++step) {
    Eigen::Vector2d gradient =
        Eigen::Vector2d(-curve.a, -curve.b) * 1e-6;  // a trace of shrinkage: separable data
    Eigen::Matrix2d curvature = Eigen::Matrix2d::Identity() * 1e-6;
    for (const Outcome& one : train) {
      const double p = curve(one.largest_mean), o = double(one.happened) / double(one.members);
      const Eigen::Vector2d x(1, one.largest_mean - level);
      gradient += (o - p) * x;
      curvature += std::max(p * (1 - p), 1e-9) * x * x.transpose();
    }
    Eigen::Vector2d move = curvature.ldlt().solve(gradient);
    move *= std::min(1.0, 2 / move.norm());
    curve.a += move[0];
    curve.b += move[1];
    if (move.norm() < 1e-10) break;
  }
  return curve;
}

mno::report::Curve diagram(const std::string& name, const EventScores& of) {
  mno::report::Curve curve{.name = name};
  for (const auto& bin : of.bins()) curve.put(bin.predicted, bin.observed);
  return curve;
}

void run_risk(Study& study) {
  struct Setting {
    std::string name;
    mno::spde::Reaction equation;
    Splits data;
    std::vector<Trained> laws{};
    Trained fno{};
    Splits events{};
    Trained classifier{};
  };
  std::vector<Setting> settings{{"hard", mno::spde::Reaction{}, {}},
                                {"nearly decided", mno::spde::Reaction::nearly_decided(), {}}};
  const Sizes& s = study.sizes();
  Training warped{.name = "auto, asinh"};
  warped.warp = mno::AnyWarp::parse("asinh 3");
  for (Setting& one : settings) {
    one.data.train = study.data(one.equation, Study::Use::training,
                                {.samples = s.train, .members = std::max<Index>(8, s.members / 4)});
    one.data.test = study.data(one.equation, Study::Use::test, {.samples = s.test});
    one.laws = {study.train("mno", study.shape(), {}, one.data),
                study.train("mno-asinh", study.shape(), warped, one.data)};
    for (const Trained& rival : study.rivals(one.data)) one.laws.push_back(rival);
    one.fno = study.train("fno", study.shape("fno"), {}, one.data);
  }
  study.run();
  Training brier{.name = "squared error of the event"};
  brier.loss = mno::Recipe{};
  brier.recipe().mean_squared_error.weight = 1;
  for (Setting& one : settings) {
    one.events = {as_events(one.data.train), {}, as_events(one.data.test)};
    one.classifier = study.train("fno-classifier", study.shape("fno"), brier, one.events);
  }
  study.run();
  for (const Setting& one : settings) {
    const Study::Place place{
        .table = "reaction-diffusion-risk", .benchmark = "reaction-diffusion", .at = {{"setting", one.name}}};
    mno::report::Figure reliability{.name = "reliability-" + one.name,
                                    .title = "Reliability, " + one.name + ", first pair",
                                    .x_label = "probability given",
                                    .y_label = "share of members in which it happened",
                                    .lines = {{.name = "perfect", .x = {0, 1}, .y = {0, 1}}}};
    for (const Trained& law : one.laws) {
      std::vector<Rows> pairs(law.models.size());
      study.for_each_pair(law, [&](std::size_t pair) {
        const auto test = outcomes(study, law, pair, one.data.test);
        const EventScores of = scores(test, [](const Outcome& c) { return c.probability; });
        pairs[pair] = rows(test, of);
        if (pair == 0) reliability.lines.push_back(diagram(law.method, of));
      });
      study.table(place, law.method, pairs);
    }
    struct Reading {
      const char* method;
      std::vector<Rows> pairs;
    };
    const std::size_t count = one.fno.models.size();
    Reading plain{"fno", std::vector<Rows>(count)}, tuned{"fno-tuned-threshold", std::vector<Rows>(count)},
        logistic{"fno-logistic", std::vector<Rows>(count)};
    study.for_each_pair(one.fno, [&](std::size_t pair) {
      const auto train = outcomes(study, one.fno, pair, one.data.train),
                 test = outcomes(study, one.fno, pair, one.data.test);
      const double threshold = tuned_threshold(train);
      const Logistic curve = fit_logistic(train);
      const auto put = [&](Reading& to, const auto& probability) {
        const EventScores of = scores(test, probability);
        to.pairs[pair] = rows(test, of);
        if (pair == 0) reliability.lines.push_back(diagram(to.method, of));
      };
      put(plain, [](const Outcome& c) { return double(c.largest_mean >= level); });
      put(tuned, [&](const Outcome& c) { return double(c.largest_mean >= threshold); });
      put(logistic, [&](const Outcome& c) { return curve(c.largest_mean); });
    });
    for (const Reading* reading : {&plain, &tuned, &logistic})
      study.table(place, reading->method, reading->pairs);
    std::vector<Rows> directly(one.classifier.models.size());
    study.for_each_pair(one.classifier, [&](std::size_t pair) {
      const EventScores of = scores(called(study, one.classifier, pair, one.events.test),
                                    [](const Outcome& c) { return c.probability; });
      directly[pair] = event_rows(of);
      if (pair == 0) reliability.lines.push_back(diagram(one.classifier.method, of));
    });
    study.table(place, one.classifier.method, directly);
    study.add(reliability);
  }
  study.show(settings[0].laws[0], settings[0].data.test);
}

}  // namespace

const Experiment risk{"risk",
                      "the probability of an event, max |u| >= 10",
                      {1000, 0, 400, 256, 0, 3},
                      {128, 0, 64, 64, 0, 1},
                      usual_shape,
                      run_risk};

}  // namespace experiment
