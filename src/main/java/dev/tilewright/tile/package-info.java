/**
 * The tile language: kernels as what happens to tiles of tensors, traced from Java lambdas. A {@link
 * dev.tilewright.tile.TileKernel} fixes every bit of its results; how it is run changes only the time.
 */
package dev.tilewright.tile;
