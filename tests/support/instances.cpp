#include "mno/device/product.hpp"
MNO_INSTANTIATE_PRODUCTS()
