#pragma once
// A compiled operator as C++ sees it: training and prediction with the library's own types, over the plain
// data of the boundary. Sentences of an operator become exceptions again here.
#include <exception>
#include <functional>
#include <mno/train/fit.hpp>

#include "boundary.hpp"
#include "loss_choice.hpp"
#include "shape_numbers.hpp"

namespace demand {

/// Where to train, and where the model goes.
struct TrainRequest {
  mno::FitOptions fit{};
  LossChoice loss{};
  std::string recipe = "auto";    // the name of the loss; "auto": fit chooses
  std::filesystem::path model{};  // to write
  int threads = 1;
  std::string device = "cpu";                // or "cuda"
  int gpu = 0;                               // which one; of several ranks, modulo those that it sees
  int gpu_shards = 0;                        // mno::CudaOptions::shards
  bool tf32 = false;                         // of a GPU: products of floats with fewer digits
  mno::Communicator* ranks = &mno::alone();  // that train together, all of them with the same request
  std::size_t memory = 0;  // bytes that data may take, the rest lies on a disk; 0: half of the machine's,
  int neighbours = 1;      // shared by so many processes
};

class Operator {
 public:
  explicit Operator(const boundary::Table& table) : table_(&table) {}
  ShapeNumbers shape() const;
  std::string shape_text() const { return table_->shape; }  // these two as model files have them
  std::string expression_text() const { return table_->expression; }
  std::size_t parameters() const { return std::size_t(table_->parameters); }
  bool stochastic() const { return table_->stochastic != 0; }
  bool gives_draws() const { return table_->gives_draws != 0; }
  const boundary::Table& table() const { return *table_; }

 private:
  const boundary::Table* table_;
};

/// A surrogate from a file, with threads of its own; one call at a time. A deterministic operator gives a law
/// without spread, one with noise inside draws.
template <int D> class Predictor {
 public:
  Predictor(const Operator& of, const std::filesystem::path& model, int threads);
  ~Predictor() { table_->unload(&loaded_); }
  Predictor(const Predictor&) = delete;
  Predictor& operator=(const Predictor&) = delete;

  const mno::Normaliser& normaliser() const { return normaliser_; }
  const mno::AnyWarp& warp() const { return warp_; }
  const mno::Domain<D>& domain() const { return domain_; }
  bool stochastic() const { return table_->stochastic != 0; }
  bool gives_draws() const { return table_->gives_draws != 0; }
  bool gives_law() const { return table_->rows > 0; }  // draws may have theirs in closed form
  std::size_t memory() const { return std::size_t(table_->memory(&loaded_)); }  // bytes that it works in

  /// In the units of the data.
  mno::Law<float, D, mno::AnyResidual, mno::AnyWarp> predict(const mno::Condition<float, D>& condition) const;
  /// The adjoint of predict: cotangents of m, B and η in the law's coordinates in; those of u_0 and t, one
  /// per sample, out. Refused for an operator that gives draws.
  struct Cotangents {
    mno::Field<float, D> initial;
    std::vector<float> times;
  };
  Cotangents vjp(const mno::Condition<float, D>& condition, const mno::Law<float, D>& law_bar) const;
  /// In the model's own coordinates, which are normalised, and fields to there.
  mno::Law<float, D, mno::AnyResidual> own_law(const mno::Condition<float, D>& condition) const;
  void to_own_coordinates(mno::Field<float, D>& values) const;
  /// The same two for an operator that gives draws: condition.draws of every initial field.
  mno::Field<float, D> draws(const mno::Condition<float, D>& condition) const;
  mno::Field<float, D> own_draws(const mno::Condition<float, D>& condition) const;

 private:
  mno::Law<float, D> asked(const mno::Condition<float, D>& condition, bool own) const;
  void ask(const mno::Condition<float, D>& condition, bool own, boundary::Law law) const;
  /// body(the condition as plain data)
  template <class Body> static void plainly(const mno::Condition<float, D>& condition, Body&& body);

  const boundary::Table* table_;
  boundary::Predictor loaded_{};
  mno::Normaliser normaliser_{};
  mno::AnyResidual residual_{};
  mno::AnyWarp warp_{};
  mno::Domain<D> domain_{};
};

template <int D> class OperatorIn : public Operator {
 public:
  explicit OperatorIn(const Operator& of) : Operator(of) {}
  /// Without validation data a part of the data is held back, as the request says. The model file is written
  /// unless training was interrupted.
  mno::FitReport train(mno::Ensemble<float, D> data, std::optional<mno::Ensemble<float, D>> validation,
                       const TrainRequest& request) const;
  std::unique_ptr<Predictor<D>> load(const std::filesystem::path& model, int threads) const {
    return std::make_unique<Predictor<D>>(*this, model, threads);
  }
};

/// f(operator) with the type that knows its dimension.
template <class F> auto in_dimension(const Operator& one, F&& f) {
  switch (one.table().dimension) {
    case 1:
      return f(OperatorIn<1>(one));
    case 2:
      return f(OperatorIn<2>(one));
    default:
      return f(OperatorIn<3>(one));
  }
}

}  // namespace demand
