/** Elementary functions of values that give the same bits on the CPU and on every GPU. */
package dev.tilewright.program.function;
