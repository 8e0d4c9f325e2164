/** How tile kernels run: on the CPU by the executor, on GPUs by programs that are made for each launch. */
package dev.tilewright.tile.launch;
