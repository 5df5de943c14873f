#include "worker.hpp"

namespace comparison {
template void make<1>(const std::string&, Index, const std::string&);
template void work<1>(const std::string&, int, const std::string&);
}  // namespace comparison
