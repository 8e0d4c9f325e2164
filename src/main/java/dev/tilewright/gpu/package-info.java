/**
 * GPUs from Java: devices, memory, streams, kernels and launches, through the CUDA driver.
 *
 * <p>What is called a kernel, level by level: a {@link dev.tilewright.program.TileProgram} describes one; a {@link
 * dev.tilewright.program.Launchable} adds the launch that follows from its arrays, such as a builder's {@link
 * dev.tilewright.builder.ElementwiseKernel}; a {@link dev.tilewright.gpu.compile.CudaFunction} is one in CUDA C++. Each
 * is loaded as a {@link dev.tilewright.gpu.Kernel}, of which a {@link dev.tilewright.gpu.KernelLaunch} is one launch. A
 * {@link dev.tilewright.program.array.KernelTemplate}, such as a {@link dev.tilewright.tile.TileKernel}, has a program
 * for each shape of its arrays: it is loaded as a {@link dev.tilewright.gpu.ArrayKernel}. What makes
 * one of these: a {@link dev.tilewright.tuning.TunedKernel} is the launchable that a measured schedule gives, and a
 * {@link dev.tilewright.tile.LoweredKernel} the program that a tile kernel becomes for one shape.
 */
package dev.tilewright.gpu;
