/** Elements that move between threads, through shared memory or shuffles, and what is reduced on the way. */
package dev.tilewright.tile.lower.exchange;
