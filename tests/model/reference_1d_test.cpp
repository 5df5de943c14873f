// test program: reference (its shapes take long to compile)
// Models in one dimension against PyTorch.
#include "../reference/reference.hpp"

using namespace mno;

namespace {

struct Line {
  static constexpr int dimension = 1, channels = 1, rank = 2, width = 4, modes = 3, depth = 2, projection = 5;
};
struct Nyquist : Line {
  static constexpr int modes = 4;
};
struct Channels : Line {
  static constexpr int channels = 2, rank = 3;
};
struct Split : Line {
  static constexpr int depth = 1;
  static constexpr bool shared_backbone = false;
};
struct Known : Line {
  static constexpr int known = 2, harmonics = 2;
};
struct ManyModes : Line {
  static constexpr int rank = 1, width = 3, modes = 34, depth = 1;
};
struct Two : Line {
  static constexpr int channels = 2;
};

template <class S> using WithPowerGate = MnoOperator<S, DriftHead<S>, FactorHead<S>, PowerGate>;

}  // namespace

TEST_CASE("1D models agree with PyTorch: odd and even grids, the Nyquist wave, modes beyond the grid") {
  reference::compare<MnoOperator<Nyquist>, Nyquist>(
      {"1d_shared_odd", "1d_shared_nyquist", "1d_shared_coarse", "1d_negative_alpha"});
}

TEST_CASE("1D models agree with PyTorch: two channels") {
  reference::compare<MnoOperator<Channels>, Channels>({"1d_channels"});
}

TEST_CASE("1D models agree with PyTorch: split backbones") {
  reference::compare<MnoOperator<Split>, Split>({"1d_split"});
}

TEST_CASE("1D models agree with PyTorch: power gate") {
  reference::compare<WithPowerGate<Line>, Line>({"1d_power_gate"});
  reference::compare<WithPowerGate<Split>, Split>({"1d_power_gate_split"});
}

TEST_CASE("1D models agree with PyTorch: known fields, given or stored, and coordinates") {
  reference::compare<MnoOperator<Known>, Known>(
      {"1d_known", "1d_known_one_set", "1d_known_stored", "1d_known_stored_fine"});
}

TEST_CASE("1D models agree with PyTorch: many modes, a sample per block") {
  reference::compare<MnoOperator<ManyModes>, ManyModes>({"1d_many_modes"});
}

TEST_CASE("1D models agree with PyTorch: the deterministic operator") {
  reference::compare<FnoOperator<Two>, Two>({"1d_fno"});
}
