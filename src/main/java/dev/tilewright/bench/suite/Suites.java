package dev.tilewright.bench.suite;

import dev.tilewright.bench.Suite;
import dev.tilewright.builder.PresetCatalog;
import java.util.List;

/** All suites that there are. */
public final class Suites {

    private Suites() { }

    /** In the order in which they are listed. @param presets what suites of presets measure */
    public static List<Suite> of(PresetCatalog presets) {
        return List.of(
                CopySuite.ofDefaults(presets.mechanisms()),
                CopySuite.ofCombinations(presets.mechanisms()),
                new EmitSuite(presets.presets()),
                new CheckSuite(presets.presets()));
    }
}
