package dev.tilewright.recording.mechanism;

import dev.tilewright.program.TileProgram;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** The programs of a mechanism, each made once, by what it is made of. */
final class ProgramCache<K> {
    private final Map<K, TileProgram> made = new ConcurrentHashMap<>();
    private final Function<K, TileProgram> maker;

    ProgramCache(Function<K, TileProgram> maker) {
        this.maker = maker;
    }

    TileProgram of(K key) {
        return made.computeIfAbsent(key, maker);
    }
}
