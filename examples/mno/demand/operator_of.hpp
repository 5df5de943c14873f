#pragma once
// One operator behind the boundary:
//
//   #include <mno/model/model.hpp>
//   #include "operator_of.hpp"
//   namespace mno_operator_of {
//   struct Shape { static constexpr int dimension = 1, channels = 1, rank = 16, width = 48, …; };
//   using Model = mno::PathMno<Shape>;
//   }
//   MNO_OPERATOR(mno_operator, "mno-path")
//
// defines the entry `mno_operator`. A source like this is compiled whole, or as two parts side by side that
// are linked together (MNO_OPERATOR_PART): 1 has what training and prediction spend their time in, 2 the
// rest, which is much and need not be fast.
#include <mno/model/model.hpp>

#include "kernels_of.hpp"
#if !defined(MNO_OPERATOR_PART) || MNO_OPERATOR_PART == 2
#include "predict_of.hpp"
#include "train_of.hpp"
#endif

// What kinds make of the numbers of a shape.
namespace demand {

template <class S> struct Split : S { static constexpr bool shared_backbone = false; };
/// With fields of x to learn, as NuggetMno has them.
template <class S, class Inner = mno::FourierLayer<S>>
using PlacedFno = mno::Model<mno::FnoOperator<mno::WithPlaces<S>, Inner>, S>;
/// Heads half as wide as usual.
template <class S> struct Narrow : S { static constexpr int projection = 64; };
template <class S>
using PowerMno = mno::Model<mno::MnoOperator<S, mno::DriftHead<S>, mno::FactorHead<S>, mno::PowerGate>, S>;

}  // namespace demand

#if !defined(MNO_OPERATOR_PART)
#define MNO_OPERATOR_KERNELS(M)
#define MNO_OPERATOR_KERNELS_OF_TWO(M, A, B)
#elif MNO_OPERATOR_PART == 1
#define MNO_OPERATOR_KERNELS(M) MNO_KERNELS(, M)
#define MNO_OPERATOR_KERNELS_OF_TWO(M, A, B) MNO_KERNELS_OF_TWO(, M, A, B)
#else
#define MNO_OPERATOR_KERNELS(M) MNO_KERNELS(extern, M)
#define MNO_OPERATOR_KERNELS_OF_TWO(M, A, B) MNO_KERNELS_OF_TWO(extern, M, A, B)
#endif

#if !defined(MNO_OPERATOR_PART) || MNO_OPERATOR_PART == 2
#define MNO_OPERATOR_ENTRY(entry, kind)                                                                    \
  static demand::boundary::Status entry##_train(const demand::boundary::Training* training,                \
                                                demand::boundary::TrainingReport* report,                  \
                                                demand::boundary::Message error) noexcept {                \
    return demand::guarded(error, [&] { demand::train_of<entry##_of::Model>(kind, *training, *report); }); \
  }                                                                                                        \
  extern "C" __attribute__((visibility("default"))) const demand::boundary::Table* entry() noexcept {      \
    return demand::table_of<entry##_of::Model>(kind, &entry##_train);                                      \
  }
#else
#define MNO_OPERATOR_ENTRY(entry, kind)
#endif

#define MNO_OPERATOR(entry, kind)         \
  MNO_OPERATOR_KERNELS(entry##_of::Model) \
  MNO_OPERATOR_ENTRY(entry, kind)
/// The same where two models are trained in the place of one.
#define MNO_OPERATOR_OF_TWO(entry, kind, first, second)                                               \
  MNO_OPERATOR_KERNELS_OF_TWO(entry##_of::Model, first<entry##_of::Shape>, second<entry##_of::Shape>) \
  MNO_OPERATOR_ENTRY(entry, kind)
