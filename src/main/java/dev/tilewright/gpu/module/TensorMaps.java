package dev.tilewright.gpu.module;

import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.TensorMap;
import dev.tilewright.tensormap.TensorMapCache;
import dev.tilewright.tensormap.TensorMapEncoder;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * The tensor maps of a GPU's launches. What the driver encodes is remembered; the Java encoder is as fast as looking it
 * up would be. Safe for use by several threads.
 */
public final class TensorMaps {
    private static final int REMEMBERED = 1024;

    private final TensorMapEncoder encoder;
    private final Target target;
    private final Optional<TensorMapCache> cache;

    /** @param remember whether what the encoder gives is kept */
    public TensorMaps(TensorMapEncoder encoder, Target target, boolean remember) {
        this.encoder = encoder;
        this.target = target;
        this.cache = remember ? Optional.of(new TensorMapCache(encoder, target, REMEMBERED)) : Optional.empty();
    }

    /** What the encoder calls itself. */
    public String encoderName() {
        return encoder.name();
    }

    /** The encoder. */
    public TensorMapEncoder encoder() {
        return encoder;
    }

    /** Writes the 128 bytes of a map for a tensor at an address. */
    public void write(TensorMap map, long address, MemorySegment to) {
        if (cache.isPresent()) {
            to.copyFrom(MemorySegment.ofArray(cache.get().get(map, address).bytes()));
        } else {
            encoder.encode(map, address, target, to);
        }
    }
}
