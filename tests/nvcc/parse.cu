// The whole library as NVIDIA's compiler reads it, and a little of it as device code.
#include <mno/mno.hpp>

__global__ void draw(std::uint32_t* out) {
  const auto bits = mno::philox({threadIdx.x, 0, 0, 0}, {1, 2});
  out[threadIdx.x] = bits[0];
}

mno::Index points() {
  mno::Field<float, 2> field(1, {{4, 6}, {}}, 3);
  mno::fill(field, [](std::array<double, 2> x, mno::Index channel) { return x[0] + double(channel); });
  mno::tensor(field) = mno::tensor(field) * 2.0f;
  return mno::from_channel_first<float, 2>(mno::to_channel_first(field)).points();
}
