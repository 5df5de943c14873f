#include "mno/device/complex_product.hpp"
MNO_INSTANTIATE_PRODUCTS()
