// test program: reference (its shapes take long to compile)
// Models in two and three dimensions against PyTorch.
#include "../reference/reference.hpp"

using namespace mno;

namespace {

struct Plane {
  static constexpr int dimension = 2, channels = 1, rank = 2, width = 4, modes = 3, depth = 1, projection = 5;
};
struct Nyquist : Plane {
  static constexpr int width = 3, modes = 4, depth = 2;
};
struct Split : Plane {
  static constexpr int channels = 2, width = 3;
  static constexpr bool shared_backbone = false;
};
struct Known : Plane {
  static constexpr int width = 3, known = 1, harmonics = 1;
};
struct Blocks : Plane {
  static constexpr int rank = 1, width = 3, modes = 2;
};
struct Deep : Plane {
  static constexpr int width = 3, depth = 2;
};
struct Box : Plane {
  static constexpr int dimension = 3, width = 3, projection = 4;
};

}  // namespace

TEST_CASE("2D models agree with PyTorch: odd and even axes") {
  reference::compare<MnoOperator<Plane>, Plane>({"2d_shared_odd_even", "2d_shared_even_odd"});
}

TEST_CASE("2D models agree with PyTorch: Nyquist waves on both axes, modes beyond the grid") {
  reference::compare<MnoOperator<Nyquist>, Nyquist>({"2d_nyquist", "2d_nyquist_square"});
}

TEST_CASE("2D models agree with PyTorch: split backbones, two channels") {
  reference::compare<MnoOperator<Split>, Split>({"2d_split"});
}

TEST_CASE("2D models agree with PyTorch: known fields, given or stored, and coordinates") {
  reference::compare<MnoOperator<Known>, Known>({"2d_known", "2d_known_stored"});
}

TEST_CASE("2D models agree with PyTorch: a sample per block") {
  reference::compare<MnoOperator<Blocks>, Blocks>({"2d_blocks"});
}

TEST_CASE("2D models agree with PyTorch: the deterministic operator") {
  reference::compare<FnoOperator<Deep>, Deep>({"2d_fno"});
}

TEST_CASE("3D models agree with PyTorch") { reference::compare<MnoOperator<Box>, Box>({"3d_shared"}); }
