/** Bank conflicts: how often the accesses of a warp to shared memory wait for each other. */
package dev.tilewright.reference.banks;
