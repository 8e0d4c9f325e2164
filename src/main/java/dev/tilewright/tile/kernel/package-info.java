/**
 * Kernels in the tile language that are ready to use, a few lines each: {@link dev.tilewright.tile.kernel.RowKernels}
 * of whole rows, and by their names as presets in {@link dev.tilewright.tile.kernel.TilePresets}.
 */
package dev.tilewright.tile.kernel;
