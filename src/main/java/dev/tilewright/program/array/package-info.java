/**
 * Launches over arrays by name: what a kernel whose program follows from its arrays' shapes says of them, and how an
 * application gives them, on a GPU or on the CPU.
 */
package dev.tilewright.program.array;
