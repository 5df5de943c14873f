#pragma once
// NetCDF files, classic and 4, as the netCDF C library reads them, with its errors as sentences. This runs in
// the process that reader.hpp starts for it.
//
// Axes have the names of the file's dimensions. The size that a variable claims is compared with the bytes of
// the file: a classic file has no fewer, and no filter packs better than deflate.
#include <netcdf.h>

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "mno/io/array_file.hpp"
#include "mno/io/file.hpp"
#include "mno/io/netcdf/attributes.hpp"
#include "mno/io/netcdf/variable.hpp"

namespace mno::io::detail {

class NetcdfFile final : public ArrayFile {
 public:
  explicit NetcdfFile(const std::filesystem::path& path) : name_(file_name(path)) {
    const std::uint64_t size = File(path).size();
    // From the root on, so that the library does not take it for an address on a network.
    const std::string absolute = std::filesystem::absolute(path).string();
    netcdf_check(nc_open(absolute.c_str(), NC_NOWRITE, &file_), name_, "cannot be opened as NetCDF");
    int format = 0;
    netcdf_check(nc_inq_format(file_, &format), name_, "has no format");
    const bool packed = format == NC_FORMAT_NETCDF4 || format == NC_FORMAT_NETCDF4_CLASSIC;
    most_ = packed ? checked_product(size, 1032).value_or(size) : size;
    list(file_, "", 0);
  }
  ~NetcdfFile() override { nc_close(file_); }
  NetcdfFile(const NetcdfFile&) = delete;
  NetcdfFile& operator=(const NetcdfFile&) = delete;

  std::vector<std::string> names() const override {
    std::vector<std::string> names;
    for (const Variable& variable : variables_) names.push_back(variable.name);
    return names;
  }
  std::unique_ptr<StoredArray> open(const std::string& name) const override {
    const Variable& found = find(name);
    return std::make_unique<NetcdfVariable>(found.group, found.number, sentence_name(name), most_);
  }
  Description describe(const std::string& name) const override {
    if (name.empty()) return netcdf_description(file_, NC_GLOBAL, name_);
    const Variable& found = find(name);
    return netcdf_description(found.group, found.number, sentence_name(name));
  }

 private:
  struct Variable {
    std::string name;
    int group, number;
  };

  std::string sentence_name(const std::string& name) const { return name_ + ", variable " + shown(name); }
  const Variable& find(const std::string& name) const {
    for (const Variable& variable : variables_)
      if (variable.name == name) return variable;
    refuse(sentence_name(name), "is not in the file");
  }

  void list(int group, const std::string& prefix, int depth) {
    int count = 0;
    netcdf_check(nc_inq_nvars(group, &count), name_, "cannot be listed");
    for (int i = 0; i < count; ++i) {
      std::array<char, NC_MAX_NAME + 1> name{};
      netcdf_check(nc_inq_varname(group, i, name.data()), name_, "has a variable without a name");
      variables_.push_back({prefix + name.data(), group, i});
    }
    netcdf_check(nc_inq_grps(group, &count, nullptr), name_, "cannot be listed");
    std::vector<int> groups(std::size_t(std::max(count, 0)), 0);
    netcdf_check(nc_inq_grps(group, &count, groups.data()), name_, "cannot be listed");
    for (const int inner : groups) {
      std::array<char, NC_MAX_NAME + 1> name{};
      netcdf_check(nc_inq_grpname(inner, name.data()), name_, "has a group without a name");
      if (depth < 16) list(inner, prefix + name.data() + "/", depth + 1);
    }
  }

  std::string name_;
  int file_ = -1;
  std::uint64_t most_ = 0;  // bytes that a variable can have
  std::vector<Variable> variables_;
};

}  // namespace mno::io::detail
