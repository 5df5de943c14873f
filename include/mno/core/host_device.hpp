#pragma once
// MNO_HOST_DEVICE marks a function that a GPU may run too: formulas that both devices share.
#ifdef __CUDACC__
#define MNO_HOST_DEVICE __host__ __device__
#else
#define MNO_HOST_DEVICE
#endif
