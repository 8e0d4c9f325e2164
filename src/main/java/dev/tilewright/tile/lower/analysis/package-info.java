/** What the lowering of a tile kernel must know of all of it: who uses which tile, and in what order tiles go. */
package dev.tilewright.tile.lower.analysis;
