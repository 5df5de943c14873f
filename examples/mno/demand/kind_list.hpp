#pragma once
// The kinds of operators: one line each, with the name that users and model files say, the same as a name of
// C++, and the model that it makes of the numbers S of a shape.
#define MNO_OPERATOR_KINDS(KIND)                                                     \
  KIND("mno", mno, ::mno::Mno<S>)                                                    \
  KIND("mno-path", mno_path, ::mno::PathMno<S>)       /* a path from u_0 to drift */ \
  KIND("mno-nugget", mno_nugget, ::mno::NuggetMno<S>) /* and a nugget */             \
  KIND("mno-power", mno_power, PowerMno<S>)           /* the factor behind t^h */    \
  KIND("mno-split", mno_split, ::mno::Mno<Split<S>>)  /* two backbones */            \
  KIND("fno", fno, PlacedFno<S>)                      /* a field, not a law */       \
  KIND("noise-fno", noise_fno, ::mno::NoiseFno<S>)    /* draws: noise inside */

namespace demand {

#define MNO_KIND_NAME(name, ...) name,
inline constexpr const char* kind_names[] = {MNO_OPERATOR_KINDS(MNO_KIND_NAME)};
#undef MNO_KIND_NAME

}  // namespace demand
