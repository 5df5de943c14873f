// expect: this layer has no version for mno::Cuda
#include <mno/cuda/model.hpp>

/// y = 2x, for the processor alone.
struct Twice {
  static constexpr int inputs = 2, outputs = 2;
  static constexpr const char* name = "twice";
  static constexpr std::array<mno::Parameter, 0> leaves{};
  static constexpr std::size_t parameters = 0;
  template <class Pass> struct Trace {};
};

#ifdef MNO_CONTROL
mno::Identity<2> on_cuda(const Twice*);  // not the same layer, but one that the device has
#endif
using Trace = mno::TraceOf<Twice, mno::Pass<float, 1, mno::Cuda>>;
Trace trace;
