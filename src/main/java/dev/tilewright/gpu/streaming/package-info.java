/**
 * Arrays larger than a GPU, from memory or files, slab by slab through one or several: {@link
 * dev.tilewright.gpu.streaming.Streamer}.
 */
package dev.tilewright.gpu.streaming;
