#pragma once
// A variable of a NetCDF file as the netCDF C library reads it, with its errors as sentences.
#include <netcdf.h>

#include <cstring>
#include <string>
#include <vector>

#include "mno/io/array_file.hpp"

namespace mno::io::detail {

inline void netcdf_check(int status, const std::string& name, const char* what) {
  if (status != NC_NOERR) refuse(name, what, ": ", plain(nc_strerror(status), 250));
}

/// The numbers of a type of the library: bytes, and what they are read as. 0 bytes: not numbers.
struct NetcdfType {
  std::uint64_t size = 0;
  Type as = Type::f64;
};
inline NetcdfType netcdf_type(nc_type type) {
  switch (type) {
    case NC_BYTE:
      return {1, Type::i32};
    case NC_UBYTE:
      return {1, Type::u8};
    case NC_SHORT:
    case NC_USHORT:
      return {2, Type::i32};
    case NC_INT:
      return {4, Type::i32};
    case NC_UINT:
      return {4, Type::i64};
    case NC_INT64:
      return {8, Type::i64};
    case NC_UINT64:
      return {8, Type::f64};
    case NC_FLOAT:
      return {4, Type::f32};
    case NC_DOUBLE:
      return {8, Type::f64};
    default:
      return {};
  }
}

inline std::vector<int> netcdf_dimensions(int group, int variable, const std::string& name) {
  int count = 0;
  netcdf_check(nc_inq_varndims(group, variable, &count), name, "has no shape");
  if (count < 0 || count > NC_MAX_VAR_DIMS) refuse(name, "found ", count, " axes");
  std::vector<int> dimensions(std::size_t(count), 0);
  netcdf_check(nc_inq_vardimid(group, variable, dimensions.data()), name, "has no shape");
  return dimensions;
}

/// A variable that is open.
class NetcdfVariable final : public StoredArray {
 public:
  NetcdfVariable(int group, int variable, std::string name, std::uint64_t most)
      : group_(group), variable_(variable), name_(std::move(name)) {
    nc_type type = NC_NAT;
    netcdf_check(nc_inq_vartype(group, variable, &type), name_, "has no type");
    const NetcdfType known = netcdf_type(type);
    if (known.size == 0) refuse(name_, "found elements that are not numbers");
    layout_.type = known.as;
    for (const int dimension : netcdf_dimensions(group, variable, name_)) {
      std::size_t length = 0;
      netcdf_check(nc_inq_dimlen(group, dimension, &length), name_, "has no shape");
      layout_.shape.push_back(length > std::size_t(std::numeric_limits<Index>::max()) ? -1 : Index(length));
    }
    if (!layout_.representable()) refuse(name_, "found a shape that no memory can hold: ", layout_.str());
    if (layout_.elements() * known.size > most)
      refuse(name_, "claims ", layout_.elements() * known.size, " bytes for ", layout_.str(),
             ", found a file that can hold at most ", most);
  }

  const Layout& layout() const override { return layout_; }

  Array read(const Extents& start, const Extents& count) override {
    require_block(layout_, start, count);
    Array block(layout_.type, count);
    if (block.size() == 0) return block;
    const std::vector<std::size_t> from(start.begin(), start.end()), n(count.begin(), count.end());
    int status = NC_EBADTYPE;
    switch (layout_.type) {
      case Type::f32:
        status = nc_get_vara_float(group_, variable_, from.data(), n.data(), block.values<float>().data());
        break;
      case Type::f64:
        status = nc_get_vara_double(group_, variable_, from.data(), n.data(), block.values<double>().data());
        break;
      case Type::i32:
        status =
            nc_get_vara_int(group_, variable_, from.data(), n.data(), block.values<std::int32_t>().data());
        break;
      case Type::i64: {
        static_assert(sizeof(long long) == sizeof(std::int64_t));
        status = nc_get_vara_longlong(group_, variable_, from.data(), n.data(),
                                      reinterpret_cast<long long*>(block.bytes().data()));
        break;
      }
      case Type::u8:
        status =
            nc_get_vara_uchar(group_, variable_, from.data(), n.data(), block.values<std::uint8_t>().data());
        break;
      case Type::boolean:
        break;
    }
    netcdf_check(status, name_, "cannot be read");
    return block;
  }

 private:
  int group_, variable_;
  std::string name_;
  Layout layout_;
};

}  // namespace mno::io::detail
