#pragma once
// Training and prediction for one operator: everything that depends on its shape at compile time is here.
#include <mno/train/fit.hpp>
#ifdef MNO_PROGRAM_CUDA
#include <mno/cuda.hpp>
#endif

#include "operator.hpp"

namespace program {

namespace io = mno::io;

template <class M> class PredictorOf final : public Predictor<M::dimension> {
  static constexpr int D = M::dimension;

 public:
  explicit PredictorOf(mno::Surrogate<M> surrogate) : surrogate_(std::move(surrogate)) {}
  const mno::Normaliser& normaliser() const override { return surrogate_.normaliser(); }
  const mno::AnyWarp& warp() const override { return surrogate_.warp(); }
  const mno::Domain<D>& domain() const override { return surrogate_.model().domain(); }
  bool stochastic() const override { return M::stochastic; }
  mno::Law<float, D, mno::AnyResidual, mno::AnyWarp> predict(const mno::Condition<float, D>& condition,
                                                             mno::Cpu& device) const override {
    return as_law(surrogate_.predict(condition, device));
  }
  mno::Law<float, D, mno::AnyResidual> own_law(const mno::Condition<float, D>& condition,
                                               mno::Cpu& device) const override {
    return as_law(surrogate_.own_prediction(condition, device));
  }
  void to_own_coordinates(mno::Field<float, D>& values) const override {
    surrogate_.to_own_coordinates(values);
  }

 private:
  template <class R, class W> static mno::Law<float, D, R, W> as_law(mno::Law<float, D, R, W> law) {
    return law;
  }
  /// Of a field, in the units that it is in: without spread and without a warp.
  struct PointMass {
    mno::Field<float, D> mean;
    template <class R, class W> operator mno::Law<float, D, R, W>() && {
      mno::Field<float, D> none(mean.batch(), mean.grid(), mean.channels());
      return {std::move(mean), std::move(none)};
    }
  };
  static PointMass as_law(mno::Field<float, D> field) { return {std::move(field)}; }

  mno::Surrogate<M> surrogate_;
};

template <class M> class OperatorOf final : public OperatorIn<M::dimension> {
  using S = typename M::ShapeType;
  static constexpr int D = M::dimension;
  using Data = mno::Ensemble<float, D>;

 public:
  explicit OperatorOf(const char* kind) : kind_(kind) {}

  ShapeNumbers shape() const override {
    return {kind_, S::dimension, S::channels, S::rank, S::width, S::modes, S::depth, mno::known_fields<S>()};
  }
  std::string shape_text() const override { return io::shape_text<S>(); }
  std::string expression_text() const override { return mno::expression_text<typename M::Expression>(); }
  std::size_t parameters() const override { return M::parameters; }

  std::unique_ptr<Predictor<D>> load(const std::filesystem::path& model) const override {
    return std::make_unique<PredictorOf<M>>(mno::Surrogate<M>::load(model));
  }

  mno::FitReport train(Data data, std::optional<Data> validation,
                       const TrainRequest& request) const override {
    if (request.device == "cpu") {
      mno::Cpu cpu(request.threads);
      return train_on(cpu, std::move(data), std::move(validation), request);
    }
#ifdef MNO_PROGRAM_CUDA
    mno::Cuda cuda(mno::CudaOptions{.device = request.gpu, .tf32 = request.tf32});
    return train_on(cuda, std::move(data), std::move(validation), request);
#else
    throw mno::Error(
        "This program was built without CUDA. Configure with -DMNO_CUDA_PROGRAMS=ON (preset cuda), or "
        "train with --device cpu.");
#endif
  }

 private:
  template <class Device>
  mno::FitReport train_on(Device& device, Data data, std::optional<Data> validation,
                          const TrainRequest& request) const {
    mno::FitOptions options = request.fit;
    options.about["kind"] = kind_;
    options.about["recipe"] = request.recipe;
    mno::Fit<M> fit = validation
                          ? mno::fit<M>(std::move(data), std::move(*validation), std::move(options), device)
                          : mno::fit<M>(std::move(data), std::move(options), device);
    if (!fit.report.interrupted) fit.surrogate.save(request.model);
    return std::move(fit.report);
  }

  const char* kind_;
};

}  // namespace program
