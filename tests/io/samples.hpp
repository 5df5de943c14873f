#pragma once
// Arrays of every type and of the shapes that go wrong: none, empty, one, many axes.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "mno/io/array.hpp"

struct Sample {
  std::string name;
  mno::io::Array array;
};

inline std::vector<Sample> samples() {
  using namespace mno::io;
  std::vector<Sample> out;
  const std::vector<Extents> shapes{{}, {0}, {1}, {7}, {2, 3}, {2, 0, 3}, {3, 1, 2, 2}};
  for (Type type : {Type::f32, Type::f64, Type::i32, Type::i64, Type::u8, Type::boolean})
    for (const Extents& shape : shapes) {
      Array array(type, shape);
      for (std::size_t i = 0; i < array.size(); ++i) {
        const int n = int(i * 37 % 101);
        if (type == Type::f32) array.values<float>()[i] = -0.37f * float(n);
        if (type == Type::f64) array.values<double>()[i] = i == 2 ? std::nan("") : 1e300 / (n + 1.0);
        if (type == Type::i32) array.values<std::int32_t>()[i] = std::numeric_limits<std::int32_t>::min() + n;
        if (type == Type::i64) array.values<std::int64_t>()[i] = std::numeric_limits<std::int64_t>::max() - n;
        if (type == Type::u8) array.values<std::uint8_t>()[i] = std::uint8_t(255 - n);
        if (type == Type::boolean) array.values<bool>()[i] = n % 3 == 0;
      }
      std::string name = name_of(type);
      for (mno::Index n : shape) name += "_" + std::to_string(n);
      out.push_back({std::move(name), std::move(array)});
    }
  return out;
}
