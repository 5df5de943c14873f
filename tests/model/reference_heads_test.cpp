// test program: reference (its shapes take long to compile)
// Separable drift and Mercer factor against PyTorch, on domains whose volume is not one.
#include "../reference/reference.hpp"

using namespace mno;

namespace {

struct Line {
  static constexpr int dimension = 1, channels = 1, rank = 2, width = 4, modes = 3, depth = 2, projection = 5,
                       separable_terms = 3;
};
struct Nyquist : Line {
  static constexpr int modes = 5;
};
struct Channels : Line {
  static constexpr int channels = 2, rank = 3;
};
struct Split : Channels {
  static constexpr int depth = 1;
  static constexpr bool shared_backbone = false;
};
struct Plane : Channels {
  static constexpr int dimension = 2, rank = 2, width = 3, modes = 4, depth = 1;
};
struct LowBound {
  static constexpr double value = 1.5;
};

template <class S> using WithSeparable = MnoOperator<S, SeparableDriftHead<S>>;
template <class S, class Bound = DefaultEigenvalueBound>
using WithMercer = MnoOperator<S, DriftHead<S>, MercerHead<S, Bound>>;
template <class S, class G = Gate> using WithBoth = MnoOperator<S, SeparableDriftHead<S>, MercerHead<S>, G>;

}  // namespace

TEST_CASE("the separable drift agrees with PyTorch") {
  reference::compare<WithSeparable<Nyquist>, Nyquist>({"1d_separable"});
}

TEST_CASE("the Mercer factor agrees with PyTorch") {
  reference::compare<WithMercer<Channels>, Channels>({"1d_mercer"});
  reference::compare<WithMercer<Line, LowBound>, Line>({"1d_mercer_bound"});
}

TEST_CASE("both heads together agree with PyTorch") {
  reference::compare<WithBoth<Channels>, Channels>({"1d_both_heads"});
  reference::compare<WithBoth<Split, PowerGate>, Split>({"1d_both_heads_split"});
  reference::compare<WithBoth<Plane>, Plane>({"2d_both_heads"});
}
