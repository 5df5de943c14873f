#pragma once
// A model made ready for many predictions: its matrices are transposed once, not in every call, and calls
// allocate nothing after the first of each size.
//
//   Prepared prepared(model);
//   predict_into(prepared, condition, law);
#include "mno/expression/step.hpp"
#include "mno/model/predict.hpp"

namespace mno {

/// A copy of the model as it is now: training it further changes nothing here.
template <class M> class Prepared {
 public:
  using Scalar = typename M::Scalar;

  explicit Prepared(M model) : model_(std::move(model)), transposed_(M::parameters) {
    const std::span<const Scalar> w = std::as_const(model_).values();
    detail::for_each_owner<typename M::Expression>(
        detail::Unnamed{}, 0, [&]<class L>(detail::Unnamed, std::size_t offset) {
          if constexpr (detail::Prepares<L, Scalar>) {
            L::template prepare<Scalar>(w.subspan(offset, L::parameters),
                                        transposed_.span().subspan(offset, L::parameters));
            offsets_.push_back(offset);
          }
        });
  }

  const M& model() const { return model_; }
  PreparedWeights<Scalar> weights() const { return {model_.values(), transposed_.data(), offsets_}; }

 private:
  M model_;
  Buffer<Scalar> transposed_;
  std::vector<std::size_t> offsets_;  // of the layers whose matrices these are
};

/// As predict_into of the model, and with the same bits. A GPU has nothing to prepare.
template <class E, class S, class T, class To, class Device = Cpu>
void predict_into(const Prepared<Model<E, S, T>>& prepared, const Condition<T, S::dimension>& condition,
                  To& to, Device& device = default_device()) {
  const PreparedWeights<T> weights = prepared.weights();
  detail::check_places(condition, to, prepared.model());
  detail::HostPrediction<Device>::run(prepared.model(), &weights, condition, detail::places(to), device);
}

}  // namespace mno
