package dev.tilewright.cli.bench;

import dev.tilewright.bench.Suite;
import dev.tilewright.bench.rival.RivalSides;
import dev.tilewright.bench.suite.Suites;
import dev.tilewright.builder.Presets;
import java.util.Iterator;

/** The suites of {@code bench} as lines of help list them. */
final class SuiteNames implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
        try (RivalSides none = RivalSides.none("not looked for")) {
            return Suites.of(Presets.CATALOG, none).stream().map(Suite::name).iterator();
        }
    }
}
