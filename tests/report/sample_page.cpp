// sample_page <folder>: run.json and page.html of a record with every part, for tests that look at the page.
#include <fstream>
#include <iostream>

#include "../../examples/mno/report/page.hpp"
#include "sample.hpp"

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "Usage: sample_page <folder>\n";
    return 2;
  }
  const std::filesystem::path folder = arguments[1];
  sample_record().write(folder);
  std::ofstream page(folder / "page.html", std::ios::binary);
  page << mno::report::render(mno::report::RunRecord::read(folder));
  return page.flush() ? 0 : 1;
}
