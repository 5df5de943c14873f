#include "operator.hpp"

#include <mno/io/disk_memory.hpp>

#include "options.hpp"

namespace demand {

namespace {

/// Calls a function of a table with room for its sentence, which is thrown if it fails.
template <class Call> void call(Call&& function) {
  char text[4096] = "";
  using boundary::Status;
  const Status status = function(boundary::Message{text, sizeof text});
  if (status == Status::refused) throw mno::Error(text);
  if (status == Status::cannot_write) throw mno::io::CannotWrite(text);
  if (status == Status::no_memory) throw std::bad_alloc();
  if (status != Status::done) throw std::runtime_error(text);
}

/// What an operator tells while it trains. What the listeners throw waits here until it has come to its end.
template <int D> struct Listening {
  const mno::FitOptions& options;
  mno::FitData<float, D>& data;
  mno::FitReport& report;
  std::exception_ptr thrown{};

  static Listening& of(void* context) { return *static_cast<Listening*>(context); }
  static void copied(void* context) {
    of(context).data.train = {};
    of(context).data.validation = {};
  }
  static void after_epoch(void* context, const boundary::Epoch* epoch) {
    of(context).guard([&] {
      of(context).report.epochs.push_back(epoch_of(*epoch));
      if (of(context).options.after_epoch) of(context).options.after_epoch(of(context).report.epochs.back());
    });
  }
  static std::int32_t interrupted(void* context) {
    bool stop = false;
    of(context).guard([&] { stop = of(context).options.interrupted && of(context).options.interrupted(); });
    return stop || of(context).thrown;
  }

 private:
  template <class F> void guard(F&& f) noexcept {
    if (thrown) return;
    try {
      f();
    } catch (...) {
      thrown = std::current_exception();
    }
  }
};

/// Ranks on this side of the boundary.
void exchange_bytes(void* context, const boundary::Bytes* send, const boundary::Bytes* receive) noexcept {
  auto& ranks = *static_cast<mno::Communicator*>(context);
  std::vector<std::span<const std::byte>> to;
  std::vector<std::span<std::byte>> from;
  for (mno::Index r = 0; r < ranks.size(); ++r) {
    to.emplace_back(static_cast<const std::byte*>(send[r].data), std::size_t(send[r].size));
    from.emplace_back(static_cast<std::byte*>(receive[r].data), std::size_t(receive[r].size));
  }
  ranks.exchange(to, from);
}

}  // namespace

ShapeNumbers Operator::shape() const {
  return {table_->kind,  table_->dimension, table_->channels, table_->rank,
          table_->width, table_->modes,     table_->depth,    table_->known};
}

template <int D>
mno::FitReport OperatorIn<D>::train(mno::Ensemble<float, D> data,
                                    std::optional<mno::Ensemble<float, D>> validation,
                                    const TrainRequest& request) const {
  mno::FitReport report;
  mno::Ensemble<float, D> held;
  if (validation)
    held = std::move(*validation);
  else
    report.split = mno::hold_back(data, held, request.fit);
  mno::FitData<float, D> prepared = mno::fit_data(std::move(data), std::move(held), request.fit.warp);

  NumberWriter numbers;
  write_numbers(numbers, request.fit, request.loss);
  const std::string residual = request.fit.training.residual.text(), warp = request.fit.warp.text(),
                    checkpoint = request.fit.checkpoint.string(), model = request.model.string();
  mno::io::Metadata about = request.fit.about;
  about["recipe"] = request.recipe;
  std::vector<boundary::Pair> pairs;
  for (const auto& [key, value] : about) pairs.push_back({key.c_str(), value.c_str()});
  const PlainEnsemble<D> train(prepared.train), other(prepared.validation);
  Listening<D> listening{request.fit, prepared, report};
  boundary::Training training{};
  training.train = train.data;
  training.validation = other.data;
  training.shift = prepared.normaliser.shift.data();
  training.scale = prepared.normaliser.scale.data();
  training.fingerprint = prepared.fingerprint.c_str();
  training.options = numbers.numbers();
  training.residual = residual.c_str();
  training.warp = warp.c_str();
  training.data = request.fit.data.c_str();
  training.checkpoint = checkpoint.c_str();
  training.model = model.c_str();
  training.about = pairs.data();
  training.about_count = pairs.size();
  training.device = request.device.c_str();
  training.threads = request.threads;
  training.gpu = request.gpu;
  training.tf32 = request.tf32;
  training.shards = request.gpu_shards;
  const boundary::Ranks ranks{request.ranks->rank(), request.ranks->size(), request.ranks, &exchange_bytes};
  if (ranks.size > 1) training.ranks = &ranks;
  const std::string disk = mno::io::DiskMemory::one().options().folder.string();
  training.disk = disk.c_str();
  training.resident = mno::io::DiskMemory::one().options().resident;
  training.context = &listening;
  training.copied = &Listening<D>::copied;
  training.after_epoch = &Listening<D>::after_epoch;
  training.interrupted = &Listening<D>::interrupted;
  char loss[4096] = "";
  boundary::TrainingReport told{};
  told.loss = {loss, sizeof loss};
  call([&](boundary::Message error) { return table().train(&training, &told, error); });
  if (listening.thrown) std::rethrow_exception(listening.thrown);
  report.interrupted = told.interrupted != 0;
  report.epochs_done = mno::Index(told.epochs_done);
  report.train = mno::Index(told.train);
  report.validation = mno::Index(told.validation);
  report.factor_scale = told.factor_scale;
  report.loss = loss;
  if (told.has_scores) report.scores = scores_of(told.scores);
  return report;
}

template <int D>
Predictor<D>::Predictor(const Operator& of, const std::filesystem::path& model, int threads)
    : table_(&of.table()) {
  call([&](boundary::Message error) { return table_->load(model.c_str(), threads, &loaded_, error); });
  try {
    normaliser_.shift.assign(loaded_.shift, loaded_.shift + table_->channels);
    normaliser_.scale.assign(loaded_.scale, loaded_.scale + table_->channels);
    residual_ = mno::AnyResidual::parse(loaded_.residual);
    warp_ = mno::AnyWarp::parse(loaded_.warp);
    domain_ = grid_of<D>(loaded_.axes).domain;
  } catch (...) {
    table_->unload(&loaded_);
    throw;
  }
}

template <int D>
template <class Body>
void Predictor<D>::plainly(const mno::Condition<float, D>& condition, Body&& body) {
  const auto axes = axes_of<D>(condition.initial.grid), known_axes = axes_of<D>(condition.known.grid);
  const boundary::Condition plain_condition{axes.data(),
                                            plain<D>(condition.initial),
                                            plain<D>(condition.known),
                                            condition.times.data(),
                                            condition.times.size(),
                                            known_axes.data(),
                                            condition.draws,
                                            condition.noise};
  call([&](boundary::Message error) { return body(plain_condition, error); });
}

template <int D>
void Predictor<D>::ask(const mno::Condition<float, D>& condition, bool own, boundary::Law law) const {
  plainly(condition, [&](const boundary::Condition& given, boundary::Message error) {
    return table_->predict(&loaded_, &given, own, &law, error);
  });
}

template <int D>
typename Predictor<D>::Cotangents Predictor<D>::vjp(const mno::Condition<float, D>& condition,
                                                    const mno::Law<float, D>& law_bar) const {
  mno::require(table_->vjp != nullptr, "vjp", "operator", mno::Text("one that gives a law or a field"),
               mno::Text("one that gives draws"));
  const mno::View<const float, D>& u = condition.initial;
  const mno::Index channels = table_->channels, rows = gives_law() ? table_->rows : 1;
  mno::require(law_bar.batch() == u.batch && law_bar.grid() == u.grid && law_bar.channels() == channels &&
                   law_bar.rank() == rows,
               "vjp", "law_bar",
               mno::Text("one of ", u.batch, " sample(s), ", channels, " channel(s) and rank ", rows, " on ",
                         u.grid.str()),
               mno::Text(law_bar.batch(), ", ", law_bar.channels(), " and ", law_bar.rank(), " on ",
                         law_bar.grid().str()));
  Cotangents out{mno::Field<float, D>(u.batch, u.grid, channels), std::vector<float>(std::size_t(u.batch))};
  const boundary::LawBar from{law_bar.mean.data(), law_bar.factor.data(),
                              law_bar.has_nugget() ? law_bar.nugget.data() : nullptr};
  const boundary::ConditionBar to{out.initial.data(), out.times.data()};
  plainly(condition, [&](const boundary::Condition& given, boundary::Message error) {
    return table_->vjp(&loaded_, &given, &from, &to, error);
  });
  return out;
}

template <int D>
mno::Law<float, D> Predictor<D>::asked(const mno::Condition<float, D>& condition, bool own) const {
  mno::require(gives_law() || !gives_draws(), "Predictor", "operator",
               mno::Text("one that gives a law or a field"), mno::Text("one that gives draws"));
  const mno::View<const float, D>& u = condition.initial;
  const mno::Index channels = table_->channels, rank = gives_law() ? table_->rows : 1;
  mno::Field<float, D> mean(u.batch, u.grid, channels), factor(u.batch, u.grid, rank * channels), nugget;
  if (loaded_.has_nugget) nugget = mno::Field<float, D>(u.batch, u.grid, channels);
  ask(condition, own, {mean.data(), factor.data(), loaded_.has_nugget ? nugget.data() : nullptr});
  return {std::move(mean), std::move(factor), std::move(nugget)};
}

template <int D> mno::Field<float, D> Predictor<D>::draws(const mno::Condition<float, D>& condition) const {
  mno::Field<float, D> all(condition.samples(), condition.initial.grid, table_->channels);
  ask(condition, false, {all.data(), nullptr, nullptr});
  return all;
}
template <int D>
mno::Field<float, D> Predictor<D>::own_draws(const mno::Condition<float, D>& condition) const {
  mno::Field<float, D> all(condition.samples(), condition.initial.grid, table_->channels);
  ask(condition, true, {all.data(), nullptr, nullptr});
  return all;
}

template <int D>
mno::Law<float, D, mno::AnyResidual, mno::AnyWarp> Predictor<D>::predict(
    const mno::Condition<float, D>& condition) const {
  auto law = mno::with_residual(asked(condition, false), stochastic() ? residual_ : mno::AnyResidual());
  // A field is in the units that it is in: without a warp.
  return mno::with_warp(std::move(law), stochastic() ? warp_ : mno::AnyWarp());
}

template <int D>
mno::Law<float, D, mno::AnyResidual> Predictor<D>::own_law(const mno::Condition<float, D>& condition) const {
  return mno::with_residual(asked(condition, true), stochastic() ? residual_ : mno::AnyResidual());
}

template <int D> void Predictor<D>::to_own_coordinates(mno::Field<float, D>& values) const {
  mno::to_law_coordinates(values, warp_);
  normaliser_.apply(values);
}

template class Predictor<1>;
template class Predictor<2>;
template class Predictor<3>;
template class OperatorIn<1>;
template class OperatorIn<2>;
template class OperatorIn<3>;

}  // namespace demand
