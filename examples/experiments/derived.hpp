#pragma once
// Data that is made of simulated data: Study::run() simulates, and this writes a file beside every file of
// the cache. Then trainings on these files are declared, for a second Study::run().
#include <mno/io/zip/npz.hpp>

#include "study.hpp"

namespace experiment {

/// `write(from, to)` writes the arrays of one pair's file. It is called for files that are missing, or older
/// than the data they are made of. `what` names their content, to tell it from that of the data.
template <class Write> Data derived(const Data& data, const std::string& what, Write&& write) {
  Data result = data;
  for (Data::File& file : result.pairs) {
    const std::filesystem::path source = file.path;
    file.key += " | " + what;
    std::string name = what;
    for (char& c : name)
      if (!std::isalnum(static_cast<unsigned char>(c))) c = '-';
    file.path.replace_filename(source.stem().string() + "-" + name + ".npz");
    if (std::filesystem::exists(file.path) &&
        std::filesystem::last_write_time(file.path) >= std::filesystem::last_write_time(source))
      continue;
    const auto from = program::open_ensembles(source);
    mno::io::NpzWriter to(file.path);
    write(*from, to);
    to.commit();
  }
  return result;
}

}  // namespace experiment
