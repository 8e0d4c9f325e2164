/**
 * GPUs from Java: devices, memory, streams, kernels and launches, through the CUDA driver.
 */
package dev.tilewright.gpu;
