// Uses very little of the library as an outsider would, and says whether FFTW came with it.
#include <zlib.h>  // of the component npz

#include <cstdio>
#include <mno/core/grid.hpp>
#include <mno/core/version.hpp>

#ifdef MNO_HAS_FFTW
#include <fftw3.h>
#endif

int main() {
  if (mno::Grid<2>{{4, 6}, {}}.str() != "4x6" || !zlibVersion()) return 1;
#ifdef MNO_HAS_FFTW
  fftw_free(fftw_malloc(8));  // both precisions must link
  fftwf_free(fftwf_malloc(8));
  std::puts("with FFTW");
#else
  std::puts("without FFTW");
#endif
}
