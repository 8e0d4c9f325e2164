/** CUDA C++ with inline PTX, from a tile program: the same program gives the same text, to the byte. */
package dev.tilewright.emit;
