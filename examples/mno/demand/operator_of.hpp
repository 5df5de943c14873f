#pragma once
// One operator behind the boundary, from its kind and the numbers of its shape:
//
//   #include "operator_of.hpp"
//   MNO_OPERATOR(mno_operator, mno_path, dimension = 1, channels = 1, rank = 16, width = 48, …)
//
// defines the entry `mno_operator`. A source like this is compiled whole, or as two parts side by side that
// are linked together (MNO_OPERATOR_PART): 1 has what training and prediction spend their time in, 2 the
// rest, which is much and need not be fast.
#include <mno/baseline/noise_fno.hpp>
#include <mno/model/model.hpp>

#include "kernels_of.hpp"
#include "kind_list.hpp"
#if !defined(MNO_OPERATOR_PART) || MNO_OPERATOR_PART == 2
#include "predict_of.hpp"
#include "train_of.hpp"
#endif

namespace demand::kind {

template <class S> struct Split : S { static constexpr bool shared_backbone = false; };
/// With fields of x to learn, as NuggetMno has them.
template <class S> using PlacedFno = ::mno::Model<::mno::FnoOperator<::mno::WithPlaces<S>>, S>;
template <class S>
using PowerMno =
    ::mno::Model<::mno::MnoOperator<S, ::mno::DriftHead<S>, ::mno::FactorHead<S>, ::mno::PowerGate>, S>;

#define MNO_KIND(text, id, ...)                   \
  struct id {                                     \
    static constexpr const char* name = text;     \
    template <class S> using Model = __VA_ARGS__; \
  };
MNO_OPERATOR_KINDS(MNO_KIND)
#undef MNO_KIND

}  // namespace demand::kind

#if !defined(MNO_OPERATOR_PART)
#define MNO_OPERATOR_KERNELS(M)
#elif MNO_OPERATOR_PART == 1
#define MNO_OPERATOR_KERNELS(M) MNO_KERNELS(, M)
#else
#define MNO_OPERATOR_KERNELS(M) MNO_KERNELS(extern, M)
#endif

#if !defined(MNO_OPERATOR_PART) || MNO_OPERATOR_PART == 2
#define MNO_OPERATOR_ENTRY(entry)                                                                         \
  static demand::boundary::Status entry##_train(const demand::boundary::Training* training,               \
                                                demand::boundary::TrainingReport* report,                 \
                                                demand::boundary::Message error) noexcept {               \
    return demand::guarded(                                                                               \
        error, [&] { demand::train_of<entry##_of::Model>(entry##_of::Kind::name, *training, *report); }); \
  }                                                                                                       \
  extern "C" __attribute__((visibility("default"))) const demand::boundary::Table* entry() noexcept {     \
    return demand::table_of<entry##_of::Model>(entry##_of::Kind::name, &entry##_train);                   \
  }
#else
#define MNO_OPERATOR_ENTRY(entry)
#endif

#define MNO_OPERATOR(entry, id, ...)      \
  namespace entry##_of {                  \
    struct Shape {                        \
      static constexpr int __VA_ARGS__;   \
    };                                    \
    using Kind = demand::kind::id;        \
    using Model = Kind::Model<Shape>;     \
  }                                       \
  MNO_OPERATOR_KERNELS(entry##_of::Model) \
  MNO_OPERATOR_ENTRY(entry)
