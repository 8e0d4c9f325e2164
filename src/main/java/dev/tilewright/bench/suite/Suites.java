package dev.tilewright.bench.suite;

import dev.tilewright.bench.Suite;
import dev.tilewright.bench.rival.RivalSides;
import dev.tilewright.builder.PresetCatalog;
import dev.tilewright.tile.kernel.TilePresets;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Stream;

/** All suites that there are: those of kernels that ship, and what the class path adds. */
public final class Suites {

    private Suites() { }

    /** Adds suites where it is on the class path, as a service: those of the library's own logs, for one. */
    public interface Further {

        /** Suites that are listed, and run, before those of kernels that ship. @param rivals who is measured besides */
        List<Suite> of(PresetCatalog presets, RivalSides rivals);
    }

    /**
     * In the order in which they are listed.
     *
     * @param presets what suites of presets measure
     * @param rivals who is measured beside ours
     */
    public static List<Suite> of(PresetCatalog presets, RivalSides rivals) {
        return Stream.concat(
                ServiceLoader.load(Further.class, Suites.class.getClassLoader()).stream()
                        .flatMap(further -> further.get().of(presets, rivals).stream()),
                Stream.of(
                        CopySuite.ofDefaults(presets.mechanisms(), rivals),
                        CopySuite.ofCombinations(presets.mechanisms()),
                        new TilesSuite(() -> TilePresets.ALL))).toList();
    }
}
