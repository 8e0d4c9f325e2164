/**
 * The 128 bytes of a tensor map on sm_90: where each field is, read, written, and changed by {@code tensormap.replace}.
 */
package dev.tilewright.tensormap.sm90;
