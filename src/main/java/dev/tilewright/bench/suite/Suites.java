package dev.tilewright.bench.suite;

import dev.tilewright.bench.Suite;
import dev.tilewright.bench.rival.RivalProcess;
import dev.tilewright.bench.rival.RivalSides;
import dev.tilewright.bench.runtime.LaunchSuite;
import dev.tilewright.bench.runtime.StartSuite;
import dev.tilewright.bench.runtime.TransferSuite;
import dev.tilewright.builder.PresetCatalog;
import dev.tilewright.tile.kernel.TilePresets;
import java.util.List;

/** All suites that there are. */
public final class Suites {

    private Suites() { }

    /**
     * In the order in which they are listed.
     *
     * @param presets what suites of presets measure
     * @param rivals who is measured beside ours
     */
    public static List<Suite> of(PresetCatalog presets, RivalSides rivals) {
        RivalProcess rival = rivals.cpp();
        return List.of(
                // First, as on a machine on which the GPU has not been opened.
                new StartSuite(rival),
                CopySuite.ofDefaults(presets.mechanisms(), rivals),
                CopySuite.ofCombinations(presets.mechanisms()),
                new LoadSuite(rivals),
                new RivalSuite(rivals),
                new LaunchSuite(rival),
                new TransferSuite(rival),
                new EncodeSuite(),
                EmitSuite.of(presets.presets()),
                EmitSuite.ofTiles(TilePresets.ALL),
                new CheckSuite(presets.presets()),
                new ReferenceSuite(),
                new StridedSuite(),
                new SwizzleSuite(rivals),
                new MulticastSuite(rivals),
                new ReduceSuite(rivals),
                new ComputeSuite(rivals),
                new TilesSuite(TilePresets.ALL),
                new JavaSuite());
    }
}
