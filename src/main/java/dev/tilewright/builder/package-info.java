/**
 * Kernels as objects: builders of copies that apply a step to every element, their options, and presets by name. Start
 * here, at the level of tiles: {@link dev.tilewright.builder.TensorCopy}, {@link dev.tilewright.builder.BulkCopy},
 * {@link dev.tilewright.builder.CpAsyncPipeline}, {@link dev.tilewright.builder.VectorCopy}. Each builds an {@link
 * dev.tilewright.builder.ElementwiseKernel}: a {@link dev.tilewright.program.TileProgram}, and its launches over arrays
 * of one shape.
 */
package dev.tilewright.builder;
