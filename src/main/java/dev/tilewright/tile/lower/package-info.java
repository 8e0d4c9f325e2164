/**
 * Makes a tile program of a tile kernel: which thread holds which elements ({@link
 * dev.tilewright.tile.lower.layout.Layout}), and the steps that compute, exchange and move them.
 */
package dev.tilewright.tile.lower;
