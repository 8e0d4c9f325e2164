/**
 * Which thread holds which element of a tile: layouts as linear maps over bits, those of tensor cores among them, and
 * what follows from them for registers, accesses of memory and banks.
 */
package dev.tilewright.tile.lower.layout;
