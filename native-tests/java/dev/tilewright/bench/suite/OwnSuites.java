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

/** Suites whose logs are in {@code native-tests/logs}; {@code native-tests/bench} runs the command with them. */
public final class OwnSuites implements Suites.Further {

    @Override
    public List<Suite> of(PresetCatalog presets, RivalSides rivals) {
        RivalProcess rival = rivals.cpp();
        return List.of(
                // First, as on a machine on which the GPU has not been opened.
                new StartSuite(rival),
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
                new JavaSuite());
    }
}
