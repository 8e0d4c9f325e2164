/**
 * A CUDA driver on the CPU, {@link dev.tilewright.gpu.emulation.EmulatedCuda}: what stands above the driver API can be
 * tested, and used, on machines without a GPU.
 */
package dev.tilewright.gpu.emulation;
