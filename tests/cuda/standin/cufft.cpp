// cuFFT of the stand-in, on FFTW: real transforms, in the layouts that cuFFT documents.
#include <cufft.h>
#include <fftw3.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <map>
#include <memory>
#include <numeric>
#include <optional>

#include "machine.hpp"

namespace standin {
namespace {

using Size = long long;
using Sizes = std::vector<Size>;

bool is_double(cufftType type) { return type == CUFFT_D2Z || type == CUFFT_Z2D; }
bool to_complex(cufftType type) { return type == CUFFT_R2C || type == CUFFT_D2Z; }

/// Where the elements of a batch of arrays stand, counted in elements.
struct Layout {
  Sizes shape;  // of one array
  Sizes strides;
  Size distance;  // from one array to the next

  Size elements() const { return std::accumulate(shape.begin(), shape.end(), Size(1), std::multiplies<>()); }
  /// From the first to behind the last element of all arrays.
  Size extent(Size batch) const {
    Size last = (batch - 1) * distance;
    for (std::size_t i = 0; i < shape.size(); ++i) last += (shape[i] - 1) * strides[i];
    return last + 1;
  }
  /// The place of element k (row-major) of an array.
  Size place(Size k) const {
    Size sum = 0;
    for (std::size_t i = shape.size(); i-- > 0; k /= shape[i]) sum += (k % shape[i]) * strides[i];
    return sum;
  }
};

/// Element (x_0, …, x_{d−1}) stands at ((x_0 · embed_1 + x_1) · embed_2 + …) · stride.
Layout advanced(const Sizes& shape, const Sizes& embed, Size stride, Size distance) {
  Layout layout{shape, Sizes(shape.size()), distance};
  for (std::size_t i = shape.size(); i-- > 0; stride *= embed[i]) layout.strides[i] = stride;
  return layout;
}

Layout packed(const Sizes& shape, const Sizes& embed) {
  return advanced(shape, embed, 1, std::accumulate(embed.begin(), embed.end(), Size(1), std::multiplies<>()));
}

// FFTW in one precision.
template <class T> struct Fftw;
template <> struct Fftw<float> {
  using Plan = fftwf_plan;
  using Complex = fftwf_complex;
  static constexpr auto forward = fftwf_plan_dft_r2c;
  static constexpr auto inverse = fftwf_plan_dft_c2r;
  static constexpr auto execute = fftwf_execute;
  static constexpr auto destroy = fftwf_destroy_plan;
};
template <> struct Fftw<double> {
  using Plan = fftw_plan;
  using Complex = fftw_complex;
  static constexpr auto forward = fftw_plan_dft_r2c;
  static constexpr auto inverse = fftw_plan_dft_c2r;
  static constexpr auto execute = fftw_execute;
  static constexpr auto destroy = fftw_destroy_plan;
};

/// One transform between arrays of its own.
template <class T> class Transform {
 public:
  Transform(const Sizes& n, Size reals, Size complexes, bool to_complex)
      : real(std::size_t(reals)), complex(std::size_t(complexes)) {
    const std::vector<int> sizes(n.begin(), n.end());
    auto* const spectrum = reinterpret_cast<typename Fftw<T>::Complex*>(complex.data());
    plan_ = to_complex ? Fftw<T>::forward(int(n.size()), sizes.data(), real.data(), spectrum, FFTW_ESTIMATE)
                       : Fftw<T>::inverse(int(n.size()), sizes.data(), spectrum, real.data(), FFTW_ESTIMATE);
  }
  ~Transform() { Fftw<T>::destroy(plan_); }
  Transform(const Transform&) = delete;
  Transform& operator=(const Transform&) = delete;
  void run() { Fftw<T>::execute(plan_); }

  std::vector<T> real;
  std::vector<std::complex<T>> complex;

 private:
  typename Fftw<T>::Plan plan_;
};

/// Device memory that a plan allocated for itself; queued work may outlive the plan.
struct OwnArea {
  explicit OwnArea(void* at) : address(at) {}
  ~OwnArea() { memory().release(address); }
  OwnArea(const OwnArea&) = delete;
  OwnArea& operator=(const OwnArea&) = delete;
  void* address;
};

struct Plan {
  bool made = false, auto_allocation = true;
  Sizes n;
  cufftType type = CUFFT_R2C;
  Size batch = 0;
  std::optional<Layout> in, out;  // none: the default layout, which depends on whether it is in place
  std::size_t work_bytes = 0;
  void* work = nullptr;
  std::shared_ptr<OwnArea> own;
  cudaStream_t stream = nullptr;

  Sizes complex_shape() const {
    Sizes shape = n;
    shape.back() = n.back() / 2 + 1;
    return shape;
  }
  /// In place, rows of the real array are padded to the length of the complex ones.
  Layout default_real(bool in_place) const {
    Sizes embed = n;
    if (in_place) embed.back() = 2 * (n.back() / 2 + 1);
    return packed(n, embed);
  }
  Layout default_complex() const { return packed(complex_shape(), complex_shape()); }
};

std::map<cufftHandle, std::shared_ptr<Plan>>& plans() {
  static auto& all = *new std::map<cufftHandle, std::shared_ptr<Plan>>;  // outlives every static object
  return all;
}
Plan* find(cufftHandle handle) {
  const auto found = plans().find(handle);
  return found == plans().end() ? nullptr : found->second.get();
}

/// How far a half spectrum is from that of a real array: on the planes that hold their own conjugates (index
/// 0 and n/2 of the last axis) X(−k) must be conj(X(k)). Relative to the largest coefficient. A spectrum with
/// NaN is left to those who look at the result.
template <class T> double asymmetry(const std::vector<std::complex<T>>& spectrum, const Sizes& n) {
  const Size last = n.back() / 2 + 1;
  const Size rows = Size(spectrum.size()) / last;
  const auto opposite = [&](Size row) {  // the row of −k
    Size result = 0, weight = 1;
    for (std::size_t i = n.size() - 1; i-- > 0; row /= n[i], weight *= n[i])
      result += (n[i] - row % n[i]) % n[i] * weight;
    return result;
  };
  const auto at = [&](Size row, Size k) {
    return std::complex<double>(spectrum[std::size_t(row * last + k)]);
  };
  double largest = 0, worst = 0;
  for (const auto& value : spectrum) {
    const double magnitude = std::abs(std::complex<double>(value));
    if (!std::isfinite(magnitude)) return 0;
    largest = std::max(largest, magnitude);
  }
  for (Size k = 0; k < last; ++k)
    if (k == 0 || 2 * k == n.back())
      for (Size row = 0; row < rows; ++row)
        worst = std::max(worst, std::abs(at(opposite(row), k) - std::conj(at(row, k))));
  return largest > 0 ? worst / largest : 0;
}

template <class Element> void gather(const Element* from, const Layout& layout, std::vector<Element>& to) {
  for (std::size_t k = 0; k < to.size(); ++k) to[k] = from[layout.place(Size(k))];
}
template <class Element> void scatter(const std::vector<Element>& from, const Layout& layout, Element* to) {
  for (std::size_t k = 0; k < from.size(); ++k) to[layout.place(Size(k))] = from[k];
}
template <class Element> void poison(const Layout& layout, Element* array) {
  for (Size k = 0; k < layout.elements(); ++k)
    std::memset(static_cast<void*>(array + layout.place(k)), 0xFF, sizeof(Element));
}

template <class T>
void run(const Plan& plan, const Layout& in, const Layout& out, void* input, void* output, bool in_place) {
  using Complex = std::complex<T>;
  const bool forward = to_complex(plan.type);
  Transform<T> transform(plan.n, (forward ? in : out).elements(), (forward ? out : in).elements(), forward);
  const double tolerance = is_double(plan.type) ? 1e-10 : 1e-4;
  // All arrays are read before any is written: in place, an output may lie on the next input.
  std::vector<std::vector<T>> reals;
  std::vector<std::vector<Complex>> spectra;
  double worst = 0;
  for (Size b = 0; b < plan.batch; ++b) {
    if (forward) {
      gather(static_cast<const T*>(input) + b * in.distance, in, transform.real);
      transform.run();
      spectra.push_back(transform.complex);
    } else {
      gather(static_cast<const Complex*>(input) + b * in.distance, in, transform.complex);
      worst = std::max(worst, asymmetry(transform.complex, plan.n));
      transform.run();
      reals.push_back(transform.real);
    }
  }
  if (worst > tolerance)
    report(
        "cufftExec: the input of a complex-to-real transform is not the spectrum of a real array (X(-k) and "
        "conj X(k) differ by " +
        std::to_string(worst) + " of the largest coefficient)");
  for (Size b = 0; b < plan.batch; ++b) {
    if (!forward)
      poison(in, static_cast<Complex*>(input) + b * in.distance);  // "the input is overwritten"
    else if (in_place)
      poison(in, static_cast<T*>(input) + b * in.distance);
  }
  for (Size b = 0; b < plan.batch; ++b) {
    if (forward)
      scatter(spectra[std::size_t(b)], out, static_cast<Complex*>(output) + b * out.distance);
    else
      scatter(reals[std::size_t(b)], out, static_cast<T*>(output) + b * out.distance);
  }
  if (plan.work != nullptr) std::memset(plan.work, 0xFF, plan.work_bytes);
}

cufftResult wrong(cufftResult code, std::string violation) {
  report("cuFFT: " + std::move(violation));
  return code;
}

cufftResult execute(cufftHandle handle, cufftType type, void* input, void* output) {
  const Lock lock(mutex());
  if (fails()) return CUFFT_EXEC_FAILED;
  const Plan* const plan = find(handle);
  if (plan == nullptr || !plan->made) return wrong(CUFFT_INVALID_PLAN, "a transform without a plan");
  if (plan->type != type) return wrong(CUFFT_INVALID_TYPE, "a transform of another type than its plan");
  if (plan->work == nullptr)
    return wrong(CUFFT_NO_WORKSPACE, "a transform without work area: call cufftSetWorkArea first");
  const bool in_place = input == output, forward = to_complex(type);
  const Layout in = plan->in ? *plan->in : forward ? plan->default_real(in_place) : plan->default_complex();
  const Layout out = plan->out ? *plan->out
                     : forward ? plan->default_complex()
                               : plan->default_real(in_place);
  const std::size_t real = is_double(type) ? sizeof(double) : sizeof(float);
  const std::size_t in_bytes = std::size_t(in.extent(plan->batch)) * real * (forward ? 1 : 2);
  const std::size_t out_bytes = std::size_t(out.extent(plan->batch)) * real * (forward ? 2 : 1);
  for (const void* address : {input, output})
    if (reinterpret_cast<std::uintptr_t>(address) % (2 * real) != 0)
      return wrong(CUFFT_INVALID_VALUE, "an array is not aligned as its complex numbers are");
  const auto *first = static_cast<const std::byte*>(input), *second = static_cast<const std::byte*>(output);
  if (!in_place && first < second + out_bytes && second < first + in_bytes)
    return wrong(CUFFT_INVALID_VALUE, "input and output overlap, but are not the same");
  const cudaError_t error =
      submit(plan->stream, {forward ? "cufftExec (real to complex)" : "cufftExec (complex to real)",
                            {{input, in_bytes, "the input"},
                             {output, out_bytes, "the output"},
                             {plan->work, plan->work_bytes, "the work area"}},
                            {},
                            [plan = *plan, in, out, input, output, in_place] {
                              (is_double(plan.type) ? run<double> : run<float>)(plan, in, out, input, output,
                                                                                in_place);
                            }});
  return error == cudaSuccess ? CUFFT_SUCCESS : CUFFT_EXEC_FAILED;
}

template <class I>
cufftResult make(cufftHandle handle, int rank, const I* n, const I* inembed, Size istride, Size idist,
                 const I* onembed, Size ostride, Size odist, cufftType type, Size batch, size_t* work_size) {
  const Lock lock(mutex());
  Plan* const plan = find(handle);
  if (fails(plan != nullptr && plan->auto_allocation)) return CUFFT_ALLOC_FAILED;
  if (plan == nullptr) return wrong(CUFFT_INVALID_PLAN, "cufftMakePlanMany without cufftCreate");
  if (plan->made) return wrong(CUFFT_INVALID_PLAN, "cufftMakePlanMany twice for one plan");
  if (type != CUFFT_R2C && type != CUFFT_C2R && type != CUFFT_D2Z && type != CUFFT_Z2D)
    return wrong(CUFFT_NOT_SUPPORTED, "the stand-in has real transforms only");
  if (rank < 1 || rank > 3 || batch < 1 || n == nullptr || work_size == nullptr) return CUFFT_INVALID_SIZE;
  plan->n.assign(n, n + rank);
  if (std::any_of(plan->n.begin(), plan->n.end(), [](Size one) { return one < 1; }))
    return CUFFT_INVALID_SIZE;
  plan->type = type;
  plan->batch = batch;
  if (inembed != nullptr && onembed != nullptr) {  // "if NULL, all other layout parameters are ignored"
    const Sizes in_shape = to_complex(type) ? plan->n : plan->complex_shape();
    const Sizes out_shape = to_complex(type) ? plan->complex_shape() : plan->n;
    const Sizes in_embed(inembed, inembed + rank), out_embed(onembed, onembed + rank);
    for (std::size_t i = 1; i < std::size_t(rank); ++i)
      if (in_embed[i] < in_shape[i] || out_embed[i] < out_shape[i])
        return wrong(CUFFT_INVALID_SIZE, "an embedding array is smaller than the array in it");
    if (istride < 1 || ostride < 1 || idist < 0 || odist < 0) return CUFFT_INVALID_VALUE;
    if (batch > 1 && odist == 0)
      return wrong(CUFFT_INVALID_VALUE, "all transforms of a batch would be written to one place");
    plan->in = advanced(in_shape, in_embed, istride, idist);
    plan->out = advanced(out_shape, out_embed, ostride, odist);
  }
  // cuFFT does not say how much it takes. Never nothing, so that a forgotten area is found.
  const std::size_t complex_bytes = is_double(type) ? sizeof(cufftDoubleComplex) : sizeof(cufftComplex);
  plan->work_bytes = std::size_t(plan->default_complex().elements() * batch) * complex_bytes;
  *work_size = plan->work_bytes;
  if (plan->auto_allocation) {
    void* const area = memory().allocate(plan->work_bytes, settings().total_memory);
    if (area == nullptr) return CUFFT_ALLOC_FAILED;
    plan->own = std::make_shared<OwnArea>(area);
    plan->work = area;
  }
  plan->made = true;
  return CUFFT_SUCCESS;
}

}  // namespace
}  // namespace standin

using namespace standin;

extern "C" {

cufftResult cufftCreate(cufftHandle* handle) {
  const Lock lock(mutex());
  if (fails()) return CUFFT_ALLOC_FAILED;
  static cufftHandle last = 0;
  *handle = ++last;
  plans().emplace(*handle, std::make_shared<Plan>());
  ++plan_count();
  return CUFFT_SUCCESS;
}

cufftResult cufftDestroy(cufftHandle plan) {
  const Lock lock(mutex());
  if (plans().erase(plan) == 0)
    return wrong(CUFFT_INVALID_PLAN, "cufftDestroy of a plan that does not exist");
  --plan_count();
  return CUFFT_SUCCESS;
}

cufftResult cufftSetAutoAllocation(cufftHandle plan, int autoAllocate) {
  const Lock lock(mutex());
  if (fails()) return CUFFT_INTERNAL_ERROR;
  Plan* const found = find(plan);
  if (found == nullptr || found->made)
    return wrong(CUFFT_INVALID_PLAN,
                 "cufftSetAutoAllocation must stand between cufftCreate and cufftMakePlan");
  found->auto_allocation = autoAllocate != 0;
  return CUFFT_SUCCESS;
}

cufftResult cufftMakePlanMany(cufftHandle plan, int rank, int* n, int* inembed, int istride, int idist,
                              int* onembed, int ostride, int odist, cufftType type, int batch,
                              size_t* workSize) {
  return make(plan, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, workSize);
}

cufftResult cufftMakePlanMany64(cufftHandle plan, int rank, long long int* n, long long int* inembed,
                                long long int istride, long long int idist, long long int* onembed,
                                long long int ostride, long long int odist, cufftType type,
                                long long int batch, size_t* workSize) {
  return make(plan, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, workSize);
}

cufftResult cufftGetSize(cufftHandle handle, size_t* workSize) {
  const Lock lock(mutex());
  if (fails()) return CUFFT_INTERNAL_ERROR;
  const Plan* const plan = find(handle);
  if (plan == nullptr || !plan->made) return wrong(CUFFT_INVALID_PLAN, "cufftGetSize without a plan");
  *workSize = plan->work_bytes;
  return CUFFT_SUCCESS;
}

cufftResult cufftSetWorkArea(cufftHandle plan, void* workArea) {
  const Lock lock(mutex());
  if (fails()) return CUFFT_INTERNAL_ERROR;
  Plan* const found = find(plan);
  if (found == nullptr || !found->made) return wrong(CUFFT_INVALID_PLAN, "cufftSetWorkArea without a plan");
  if (const std::string complaint = memory().complaint({workArea, found->work_bytes, "the work area"});
      !complaint.empty())
    return wrong(CUFFT_INVALID_VALUE, complaint);
  found->own.reset();
  found->work = workArea;
  return CUFFT_SUCCESS;
}

cufftResult cufftSetStream(cufftHandle plan, cudaStream_t stream) {
  const Lock lock(mutex());
  if (fails()) return CUFFT_INTERNAL_ERROR;
  Plan* const found = find(plan);
  if (found == nullptr) return wrong(CUFFT_INVALID_PLAN, "cufftSetStream without a plan");
  if (!is_stream(stream)) return wrong(CUFFT_INVALID_VALUE, "cufftSetStream to a stream that does not exist");
  found->stream = stream;
  return CUFFT_SUCCESS;
}

cufftResult cufftExecR2C(cufftHandle plan, cufftReal* idata, cufftComplex* odata) {
  return execute(plan, CUFFT_R2C, idata, odata);
}
cufftResult cufftExecC2R(cufftHandle plan, cufftComplex* idata, cufftReal* odata) {
  return execute(plan, CUFFT_C2R, idata, odata);
}
cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal* idata, cufftDoubleComplex* odata) {
  return execute(plan, CUFFT_D2Z, idata, odata);
}
cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex* idata, cufftDoubleReal* odata) {
  return execute(plan, CUFFT_Z2D, idata, odata);
}
}
