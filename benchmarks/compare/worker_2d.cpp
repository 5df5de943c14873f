#include "worker.hpp"

namespace comparison {
template void make<2>(const std::string&, Index, const std::string&);
template void work<2>(const std::string&, int, const std::string&);
}  // namespace comparison
