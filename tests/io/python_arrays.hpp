#pragma once
// The arrays that make_files.py and check_files.py speak of, and how their Python is called.
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "mno/io/array.hpp"
#include "samples.hpp"

inline std::string python() {
  const char* chosen = std::getenv("MNO_PYTHON");
  return chosen && *chosen ? chosen : "python3";
}
inline int run_python(const std::string& arguments) {
  return std::system((python() + " " + arguments).c_str());
}

/// Ends the whole program as skipped where Python lacks what these tests are about.
inline void need_python(const std::string& modules) {
  static const bool there = run_python("-c 'import " + modules + "' 2>/dev/null") == 0;
  if (there) return;
  std::cout << "skipped: " << python() << " cannot import " << modules << " (set MNO_PYTHON)" << std::endl;
  std::_Exit(77);
}

inline std::vector<Sample> python_samples() {
  using namespace mno::io;
  std::vector<Sample> out;
  for (Type type : {Type::f32, Type::f64, Type::i32, Type::i64, Type::u8, Type::boolean})
    for (const Extents& shape : std::vector<Extents>{{}, {0}, {7}, {2, 3}, {2, 0, 3}, {3, 1, 2, 2}}) {
      Array array(type, shape);
      for (std::size_t i = 0; i < array.size(); ++i) {
        const auto n = std::uint8_t(i * 3 % 7);
        if (type == Type::f32) array.values<float>()[i] = n;
        if (type == Type::f64) array.values<double>()[i] = n;
        if (type == Type::i32) array.values<std::int32_t>()[i] = n;
        if (type == Type::i64) array.values<std::int64_t>()[i] = n;
        if (type == Type::u8) array.values<std::uint8_t>()[i] = n;
        if (type == Type::boolean) array.values<bool>()[i] = n % 2 == 1;
      }
      std::string name = name_of(type);
      for (mno::Index n : shape) name += "_" + std::to_string(n);
      out.push_back({std::move(name), std::move(array)});
    }
  return out;
}
