/** Hints to the caches: prefetches, policies, and what may be dropped. */
package dev.tilewright.ptx.cache;
