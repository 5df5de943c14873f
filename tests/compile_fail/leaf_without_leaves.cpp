// expect: a layer with parameters needs `leaves`
#include <mno/expression/leaves.hpp>

struct Scale {
  static constexpr int inputs = 1, outputs = 1;
  static constexpr const char* name = "scale";
#ifdef MNO_CONTROL
  static constexpr std::array leaves{mno::parameter("factor", 1)};
#endif
  static constexpr std::size_t parameters = 1;
};
const auto names = mno::named_leaves<Scale>();
