/** Products along a loop whose factors {@code cp.async} brings, several turns ahead, for {@code mma.sync}. */
package dev.tilewright.tile.lower.ring;
