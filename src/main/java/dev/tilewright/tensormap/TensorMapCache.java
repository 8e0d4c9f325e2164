package dev.tilewright.tensormap;

import dev.tilewright.ptx.Target;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Remembers the last descriptors that were encoded, so that an application that copies the same tensor a thousand times
 * encodes once and keeps one descriptor. Bounded: the entry not used for longest goes first. Safe to use from several
 * threads. A look-up hashes the whole description, which takes about as long as {@link TensorMapEncoder#java} takes to
 * encode into a segment: it pays with the driver's encoder, or where the descriptor has to outlive the call.
 */
public final class TensorMapCache {

    private record Key(TensorMap map, long address) { }

    private final TensorMapEncoder encoder;
    private final Target target;
    private final int capacity;
    private final LinkedHashMap<Key, TensorMapDescriptor> entries = new LinkedHashMap<>(16, 0.75f, true);
    private long hits;
    private long misses;

    /**
     * @param encoder makes what is not there yet
     * @param target what all the descriptors are for
     * @param capacity descriptors to keep, at least 1
     */
    public TensorMapCache(TensorMapEncoder encoder, Target target, int capacity) {
        this.encoder = Objects.requireNonNull(encoder, "encoder");
        this.target = Objects.requireNonNull(target, "target");
        if (capacity < 1) {
            throw new IllegalArgumentException("a cache of tensor maps holds at least 1, got " + capacity);
        }
        this.capacity = capacity;
    }

    /**
     * The descriptor of {@code map} for a tensor at {@code address}.
     *
     * @throws TensorMapException if the encoder refuses it; nothing is remembered then
     */
    public synchronized TensorMapDescriptor get(TensorMap map, long address) {
        Objects.requireNonNull(map, "map");
        Key key = new Key(map, address);
        TensorMapDescriptor descriptor = entries.get(key);
        if (descriptor != null) {
            hits++;
            return descriptor;
        }
        descriptor = encoder.encode(map, address, target);
        misses++;
        entries.put(key, descriptor);
        if (entries.size() > capacity) {
            Map.Entry<Key, TensorMapDescriptor> oldest = entries.firstEntry();
            entries.remove(oldest.getKey());
        }
        return descriptor;
    }

    /** How many calls of {@link #get} found their descriptor. */
    public synchronized long hits() {
        return hits;
    }

    /** How many had to encode. */
    public synchronized long misses() {
        return misses;
    }

    /** How many descriptors are kept now. */
    public synchronized int size() {
        return entries.size();
    }

    /** {@code cache of 12 tensor maps}. */
    @Override
    public String toString() {
        return "cache of at most " + capacity + " tensor maps for " + target + ", " + hits + " hits, " + misses
                + " misses";
    }
}
