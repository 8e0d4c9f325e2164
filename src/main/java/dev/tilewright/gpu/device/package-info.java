/** The GPUs of a machine, and what a driver says when a call fails. */
package dev.tilewright.gpu.device;
