#pragma once
// A model made ready for many predictions: its matrices are transposed once, not in every call, and calls
// allocate nothing after the first of each size.
//
//   Prepared prepared(model);
//   predict_into(prepared, condition, law);
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
          if constexpr (requires { L::template prepare<Scalar>(w, transposed_.span()); })
            L::template prepare<Scalar>(w.subspan(offset, L::parameters),
                                        transposed_.span().subspan(offset, L::parameters));
        });
  }

  const M& model() const { return model_; }
  const Scalar* transposed() const { return transposed_.data(); }

 private:
  M model_;
  Buffer<Scalar> transposed_;
};

/// As predict_into of the model, and with the same bits: `to` is a Law, or a Field for a deterministic model.
template <class E, class S, class T, class To>
void predict_into(const Prepared<Model<E, S, T>>& prepared, const Condition<T, S::dimension>& condition,
                  To& to, Cpu& device = default_device()) {
  detail::predict_into<E, S, T>(prepared.model(), prepared.transposed(), condition, to, device);
}

}  // namespace mno
