/** From CUDA C++ to device code: NVRTC, the cache of kernels, and functions of an application's own. */
package dev.tilewright.gpu.compile;
