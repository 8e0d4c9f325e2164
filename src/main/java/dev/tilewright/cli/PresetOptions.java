package dev.tilewright.cli;

import dev.tilewright.builder.PresetOption;
import java.util.EnumMap;
import java.util.Map;
import picocli.CommandLine.Option;

/** The options of presets, as they are written on the command line. Which of them a preset has, it says itself. */
final class PresetOptions {
    private final Map<PresetOption, String> values = new EnumMap<>(PresetOption.class);

    @Option(names = "--tile", paramLabel = "EXTENTS",
            description = "extents of a tile in elements, outermost first: 64x64, 4096; 64x128B counts the last in bytes")
    void tile(String value) {
        values.put(PresetOption.TILE, value);
    }

    @Option(names = "--stages", paramLabel = "N", description = "tiles of one block that shared memory holds at once")
    void stages(String value) {
        values.put(PresetOption.STAGES, value);
    }

    @Option(names = "--threads", paramLabel = "N", description = "threads of one block")
    void threads(String value) {
        values.put(PresetOption.THREADS, value);
    }

    @Option(names = "--step", paramLabel = "STEP", description = "what happens to each element: copy, scale or add")
    void step(String value) {
        values.put(PresetOption.STEP, value);
    }

    @Option(names = "--swizzle", paramLabel = "MODE", description = "none, 32B, 64B or 128B")
    void swizzle(String value) {
        values.put(PresetOption.SWIZZLE, value);
    }

    @Option(names = "--unswizzle", paramLabel = "WHO",
            description = "who turns a swizzled tile back: store (the tensor store) or step (the threads)")
    void unswizzle(String value) {
        values.put(PresetOption.UNSWIZZLE, value);
    }

    @Option(names = "--wait", paramLabel = "FORM", description = "how threads wait for a tile: parity or token")
    void wait(String value) {
        values.put(PresetOption.WAIT, value);
    }

    @Option(names = "--copy-bytes", paramLabel = "N", description = "bytes that one thread copies at once: 4, 8 or 16")
    void copyBytes(String value) {
        values.put(PresetOption.COPY_BYTES, value);
    }

    Map<PresetOption, String> values() {
        return values;
    }
}
