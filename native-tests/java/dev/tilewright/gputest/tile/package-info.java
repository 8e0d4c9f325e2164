/** Tile kernels drawn at random, on a GPU, in numbers that a log is made of. */
package dev.tilewright.gputest.tile;
