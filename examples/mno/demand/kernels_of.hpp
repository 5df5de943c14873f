#pragma once
// The few functions of a model that training and prediction spend their time in, as instantiations: defined
// in one part of an operator, declared `extern` in the others.
#include <mno/loss/energy_loss.hpp>
#include <mno/loss/recipe.hpp>
#include <mno/model/gradient.hpp>
#include <mno/train/adamw.hpp>
#include <mno/train/clip.hpp>

namespace demand {

template <class M> using ConditionOf = mno::Condition<float, M::dimension>;
template <class M> using ViewOf = mno::View<const float, M::dimension>;
template <class M> using PredictedOf = mno::detail::Predicted<float, M::dimension>;
template <class M> using BarOf = mno::ConditionBar<float, M::dimension>;
template <class M> using LawBlockOf = mno::LawBlock<float, M::dimension>;
/// What a loss is given: draws, a law, or a field as a law without a factor.
template <class M>
using BlockOf = std::conditional_t<M::gives_draws, mno::DrawBlock<float, M::dimension>, LawBlockOf<M>>;
/// What most of a training's losses are: draws have scores of draws alone.
template <class M> using LossOf = std::conditional_t<M::gives_draws, mno::EnergyLoss, mno::Recipe>;
template <class M> using TargetOf = mno::Target<float, M::dimension>;

}  // namespace demand

#define MNO_GRADIENT_KERNEL(where, M)                                                            \
  where template double                                                                          \
  mno::detail::gradient_on<M, float, M::dimension, mno::detail::BlockLossOf<M>, mno::Cpu>(       \
      const M&, std::span<const float>, const demand::ConditionOf<M>&, const demand::ViewOf<M>&, \
      mno::detail::BlockLossOf<M>&, std::span<float>, mno::Cpu&, const demand::BarOf<M>&, mno::Index);
#define MNO_PREDICTION_KERNEL(where, M)                                                                    \
  where template void mno::detail::predict_on<M, float, M::dimension, mno::Cpu>(                           \
      const M&, std::span<const float>, const mno::PreparedWeights<float>*, const demand::ConditionOf<M>&, \
      const demand::ViewOf<M>&, mno::Index, const demand::PredictedOf<M>&, mno::Cpu&);
#define MNO_LOSS_KERNELS(where, M)                                                                         \
  where template double                                                                                    \
  mno::detail::evaluate_terms<demand::LossOf<M>, demand::BlockOf<M>, float, M::dimension>(                 \
      const demand::LossOf<M>&, const demand::BlockOf<M>&, const demand::TargetOf<M>&, mno::TermValues*);  \
  where template double                                                                                    \
  mno::detail::evaluate_terms<mno::EnergyLoss, demand::LawBlockOf<M>, float, M::dimension>(                \
      const mno::EnergyLoss&, const demand::LawBlockOf<M>&, const demand::TargetOf<M>&, mno::TermValues*); \
  where template class mno::AdamW<float>;                                                                  \
  where template double mno::clip_gradient<float>(std::span<float>, double);

#define MNO_KERNELS(where, M)     \
  MNO_GRADIENT_KERNEL(where, M)   \
  MNO_PREDICTION_KERNEL(where, M) \
  MNO_LOSS_KERNELS(where, M)
/// Of a model that is not trained itself: A and B are, and give fields.
#define MNO_KERNELS_OF_TWO(where, M, A, B) \
  MNO_KERNELS(where, A)                    \
  MNO_GRADIENT_KERNEL(where, B)            \
  MNO_PREDICTION_KERNEL(where, M)
