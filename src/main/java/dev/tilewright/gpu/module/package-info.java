/** Kernels as a driver loads them: images of programs, modules in a context, and what launches are held against. */
package dev.tilewright.gpu.module;
