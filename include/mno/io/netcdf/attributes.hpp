#pragma once
// What a NetCDF file says of a variable, a group or itself: names of axes, attributes, and the default fill
// value where the file gives none.
#include <netcdf.h>

#include <array>
#include <string>
#include <vector>

#include "mno/io/netcdf/variable.hpp"

namespace mno::io::detail {

inline constexpr std::size_t most_netcdf_attribute = 1 << 16;

inline Attribute netcdf_attribute(int group, int variable, const char* name) {
  Attribute found;
  nc_type type = NC_NAT;
  std::size_t length = 0;
  if (nc_inq_att(group, variable, name, &type, &length) != NC_NOERR || length > most_netcdf_attribute)
    return found;
  if (type == NC_CHAR) {
    std::string text(length, '\0');
    if (length == 0 || nc_get_att_text(group, variable, name, text.data()) == NC_NOERR)
      found.texts.push_back(text.substr(0, text.find('\0')));
  } else if (type == NC_STRING && length > 0) {
    std::vector<char*> texts(length, nullptr);
    if (nc_get_att_string(group, variable, name, texts.data()) == NC_NOERR) {
      for (const char* text : texts) found.texts.emplace_back(text ? text : "");
      nc_free_string(length, texts.data());
    }
  } else if (netcdf_type(type).size > 0 && length > 0) {
    found.numbers.resize(length);
    if (nc_get_att_double(group, variable, name, found.numbers.data()) != NC_NOERR) found.numbers.clear();
  }
  return found;
}

/// `variable` may be NC_GLOBAL: then of the group.
inline Description netcdf_description(int group, int variable, const std::string& name) {
  Description description;
  int count = 0;
  if (variable == NC_GLOBAL)
    netcdf_check(nc_inq_natts(group, &count), name, "has no attributes");
  else
    netcdf_check(nc_inq_varnatts(group, variable, &count), name, "has no attributes");
  for (int i = 0; i < count; ++i) {
    std::array<char, NC_MAX_NAME + 1> attribute{};
    if (nc_inq_attname(group, variable, i, attribute.data()) == NC_NOERR)
      description.attributes[attribute.data()] = netcdf_attribute(group, variable, attribute.data());
  }
  if (variable == NC_GLOBAL) return description;
  for (const int dimension : netcdf_dimensions(group, variable, name)) {
    std::array<char, NC_MAX_NAME + 1> axis{};
    netcdf_check(nc_inq_dimname(group, dimension, axis.data()), name, "has an axis without a name");
    description.axes.emplace_back(axis.data());
  }
  // The value of elements that were never written. Bytes have none, since all their values are in use.
  nc_type type = NC_NAT;
  int none = 0;
  alignas(8) std::array<std::byte, 8> fill{};
  if (!description.attributes.contains("_FillValue") && nc_inq_vartype(group, variable, &type) == NC_NOERR &&
      netcdf_type(type).size > 1 && nc_inq_var_fill(group, variable, &none, fill.data()) == NC_NOERR &&
      !none) {
    double value = 0;
    const auto as = [&]<class T>(T) {
      T stored;
      std::memcpy(&stored, fill.data(), sizeof stored);
      value = double(stored);
    };
    if (type == NC_SHORT) as(short());
    if (type == NC_USHORT) as(std::uint16_t());
    if (type == NC_INT) as(int());
    if (type == NC_UINT) as(unsigned());
    if (type == NC_INT64) as(std::int64_t());
    if (type == NC_UINT64) as(std::uint64_t());
    if (type == NC_FLOAT) as(float());
    if (type == NC_DOUBLE) as(double());
    description.attributes["_FillValue"].numbers = {value};
  }
  return description;
}

}  // namespace mno::io::detail
