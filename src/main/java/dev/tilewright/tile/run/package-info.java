/**
 * The tile language's own executor: arrays in, arrays out, by loops over whole tiles that the JIT vectorises. It says
 * what a kernel means, shares nothing with the passes that lower kernels, and runs them where there is no GPU.
 */
package dev.tilewright.tile.run;
