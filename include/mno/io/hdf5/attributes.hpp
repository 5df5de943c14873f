#pragma once
// The attributes of an HDF5 object as words and numbers. Those of other kinds (references, compounds) and
// long ones are left out.
#include <hdf5.h>

#include <string>
#include <vector>

#include "mno/io/array_file.hpp"
#include "mno/io/hdf5/handle.hpp"

namespace mno::io::detail {

inline constexpr std::size_t most_attribute_elements = 4096, most_attribute_text = 1 << 16;

inline std::vector<std::string> hdf5_texts(hid_t attribute, hid_t type, std::size_t count) {
  std::vector<std::string> texts;
  if (H5Tis_variable_str(type) > 0) {
    const Hdf5Handle space(H5Aget_space(attribute), H5Sclose);
    std::vector<char*> pointers(count, nullptr);
    if (H5Aread(attribute, type, pointers.data()) < 0) return texts;
    for (const char* text : pointers)
      texts.push_back(text ? std::string(text).substr(0, most_attribute_text) : "");
    H5Dvlen_reclaim(type, space.get(), H5P_DEFAULT, pointers.data());
    return texts;
  }
  const std::size_t size = H5Tget_size(type);
  if (size == 0 || size > most_attribute_text) return texts;
  std::vector<char> characters(count * size);
  if (H5Aread(attribute, type, characters.data()) < 0) return texts;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string text(characters.data() + i * size, size);
    texts.push_back(text.substr(0, text.find('\0')));
  }
  return texts;
}

inline Attribute hdf5_attribute(hid_t attribute) {
  Attribute found;
  const Hdf5Handle type(H5Aget_type(attribute), H5Tclose), space(H5Aget_space(attribute), H5Sclose);
  const hssize_t count = space ? H5Sget_simple_extent_npoints(space.get()) : 0;
  if (!type || count < 1 || std::size_t(count) > most_attribute_elements) return found;
  const H5T_class_t kind = H5Tget_class(type.get());
  if (kind == H5T_STRING) found.texts = hdf5_texts(attribute, type.get(), std::size_t(count));
  if (kind == H5T_INTEGER || kind == H5T_FLOAT) {
    found.numbers.resize(std::size_t(count));
    if (H5Aread(attribute, H5T_NATIVE_DOUBLE, found.numbers.data()) < 0) found.numbers.clear();
  }
  if (kind == H5T_ENUM && H5Tget_size(type.get()) == 1) {  // a bool of h5py
    std::vector<signed char> values(std::size_t(count), 0);
    if (H5Aread(attribute, type.get(), values.data()) >= 0)
      found.numbers.assign(values.begin(), values.end());
  }
  return found;
}

/// All attributes of an open object. h5py's labels of dimensions are the names of axes.
inline Description hdf5_description(hid_t object) {
  Description description;
  const auto add = [](hid_t where, const char* name, const H5A_info_t*, void* to) -> herr_t {
    const Hdf5Handle attribute(H5Aopen(where, name, H5P_DEFAULT), H5Aclose);
    if (!attribute) return 0;
    Attribute found = hdf5_attribute(attribute.get());
    if (!found.texts.empty() || !found.numbers.empty())
      static_cast<Description*>(to)->attributes.insert_or_assign(name, std::move(found));
    return 0;
  };
  hsize_t index = 0;
  H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, &index, add, &description);
  const auto labels = description.attributes.find("DIMENSION_LABELS");
  if (labels != description.attributes.end()) description.axes = labels->second.texts;
  return description;
}

}  // namespace mno::io::detail
