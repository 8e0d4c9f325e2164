package dev.tilewright.ptx.cache;

import dev.tilewright.ptx.Qualifier;

/** How L2 evicts lines (PTX ISA, "Cache Eviction Priority Hints"). */
public enum EvictionPriority implements Qualifier {
    EVICT_LAST, EVICT_NORMAL, EVICT_FIRST, EVICT_UNCHANGED;

    @Override
    public String text() {
        return ".L2::" + name().toLowerCase(java.util.Locale.ROOT);
    }
}
