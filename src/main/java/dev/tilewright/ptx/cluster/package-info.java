/** Barriers and addresses of clusters of blocks. */
package dev.tilewright.ptx.cluster;
