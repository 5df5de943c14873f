// Uses the whole library as an outsider would, and says whether FFTW came with it.
#include <cstdio>
#include <mno/core/tensor.hpp>
#include <mno/mno.hpp>

#ifdef MNO_HAS_FFTW
#include <fftw3.h>
#endif

int main() {
  mno::Field<double, 2> field(2, {{4, 6}, {}}, 3);
  field.fill([](std::array<double, 2> x, mno::Index channel) { return x[0] + double(channel); });
  if (mno::tensor(field)(1, 2, 0, 1) != 1.5) return 1;
#ifdef MNO_HAS_FFTW
  void* in_double = fftw_malloc(8);  // both precisions must link
  void* in_float = fftwf_malloc(8);
  fftw_free(in_double);
  fftwf_free(in_float);
  std::puts("with FFTW");
#else
  std::puts("without FFTW");
#endif
}
