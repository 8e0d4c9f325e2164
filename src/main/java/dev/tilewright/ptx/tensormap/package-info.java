/** Changing tensor maps in memory, and making the change known. */
package dev.tilewright.ptx.tensormap;
