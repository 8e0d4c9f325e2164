/** Tile programs that are measured and that no builder makes: transposes, sums, broadcasts, products of matrices. */
package dev.tilewright.bench.kernel;
