package dev.tilewright.spark;

import dev.tilewright.tile.TileKernel;
import java.io.Serializable;
import java.util.function.Supplier;

/**
 * Where executors get a kernel from: {@code () -> Kernels.SOFTMAX}, or {@code () -> RowKernels.softmax(F32)}. It
 * travels with the tasks, and the class that it is written in has to be on the executors' class path, as for any lambda
 * of Spark's. It gives the same kernel wherever it is called: an executor compares its signature with the driver's.
 */
@FunctionalInterface
public interface KernelSource extends Supplier<TileKernel>, Serializable { }
