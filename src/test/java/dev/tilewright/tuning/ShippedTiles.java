package dev.tilewright.tuning;

import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.kernel.TilePresets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Locale;

/** Lines of tile kernels in the table that the library brings, and how they get there from a GPU machine. */
final class ShippedTiles {
    private static final Path ROOT = Path.of(System.getProperty("tilewright.root", "."));
    private static final Path TABLE = ROOT.resolve("src/main/resources/dev/tilewright/tuning/shipped.tuning");

    private ShippedTiles() { }

    /** Where what was measured on a GPU is logged: {@code tune-tiles.log} of an H200, which defaults come from. */
    static Path log(String gpu) {
        String[] words = gpu.split(" ");
        return ROOT.resolve("native-tests/logs/tune-tiles" + (words[1].equals("H200") ? "" : "-"
                + words[1].toLowerCase(Locale.ROOT)) + ".log");
    }

    /** The preset that a line is of. */
    static TileKernel kernel(TunedTiles line) {
        String[] title = line.kernel().split(" ");
        return TilePresets.find(title[0]).orElseThrow().kernel(ValueType.valueOf(title[1].toUpperCase(Locale.ROOT)));
    }

    /** Whether the preset still is what was measured. */
    static boolean isCurrent(TunedTiles line) {
        return kernel(line).signature(line.target()).bits().equals(line.bits());
    }

    /** A table with measured lines in the places of those of the same launches, without those of changed kernels. */
    static Tuning merged(Tuning table, List<TunedTiles> measured) {
        return Tuning.of(table.lines()).withTiles(table.withTiles(measured).tiles().stream()
                .filter(ShippedTiles::isCurrent).toList());
    }

    /** Writes the table anew, and adds a log to that of the GPU. */
    static void take(List<TunedTiles> measured, String log) throws IOException {
        merged(Tuning.load(TABLE), measured).save(TABLE);
        Files.writeString(log(measured.getFirst().gpu()), log, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    /** Another measurement of the same launch. */
    static TunedTiles copy(TunedTiles line, String bits, String gpu, double micros) {
        return new TunedTiles(line.kernel(), bits, line.extents(), line.schedule(), gpu, line.target(), line.driver(),
                line.date(), micros, Math.max(micros, line.defaultMicros()), line.turns(), line.candidates());
    }
}
