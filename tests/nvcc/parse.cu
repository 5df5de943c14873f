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

struct Small {
  static constexpr int dimension = 1, channels = 1, rank = 2, width = 4, modes = 3, depth = 1, projection = 4;
};

double law() {
  const mno::Mno<Small> model(1);
  mno::Mno<Small> gradient = model.zeros();
  const mno::Field<float, 1> initial(2, {{8}, {}}, 1);
  const float time = 0.5f;
  const auto law = mno::predict(model, initial, time);
  return mno::value_and_gradient(
             model, {initial.view(), {&time, 1}}, [](const mno::LawBlock<float, 1>&) { return 0.0; },
             gradient) +
         double(mno::variance(law)(0, 0, 0));
}
