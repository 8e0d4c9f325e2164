/** Products on tensor cores: {@code mma.sync}, and {@code wgmma} of a warpgroup. */
package dev.tilewright.ptx.mma;
