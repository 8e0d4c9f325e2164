package dev.tilewright.tuning;

import dev.tilewright.BadRequestException;
import dev.tilewright.Counted;
import dev.tilewright.NotNull;
import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Presets;
import dev.tilewright.builder.Schedule;
import dev.tilewright.builder.TensorCopy;
import dev.tilewright.io.AtomicFile;
import dev.tilewright.io.FileProblem;
import dev.tilewright.io.host.HostEnvironment;
import dev.tilewright.layout.ElementType;
import dev.tilewright.ptx.Target;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The fastest measured schedules of presets and tile kernels on GPUs, each with its measurement: the {@linkplain
 * #shipped shipped} table, or a file that {@code tilewright tune} has written. Launches of tile kernels on a GPU use
 * the {@linkplain #usual usual} schedules unless told otherwise.
 *
 * {@snippet :
 * ElementwiseKernel copy = Tuning.shipped().kernel(Presets.named("bulk-copy"), ElementType.F32,
 *         Shape.of(rows, columns), gpu.name(), gpu.target());
 * }
 *
 * <p>Immutable. A table is plain text ({@link #text}) that people may read and edit.
 */
public final class Tuning {
    /** Of how much smaller an array than the measured one a schedule still is: 8 times. */
    private static final int SMALLER = 8;
    private static final String RESOURCE = "shipped.tuning";
    /** More than every preset on some hundred GPUs would take. */
    private static final int MOST_BYTES = 4 << 20;

    private static final Comparator<TunedPreset> ORDER = Comparator
            .comparing((TunedPreset line) -> line.measurement().gpu())
            .thenComparing(line -> line.measurement().target()).thenComparing(TunedPreset::preset)
            .thenComparing(TunedPreset::type).thenComparingLong(TunedPreset::bytes)
            .thenComparing(TunedPreset::shapeText);

    private static final Comparator<TunedTiles> TILES_ORDER = Comparator.comparing(TunedTiles::gpu)
            .thenComparing(TunedTiles::target).thenComparing(TunedTiles::kernel).thenComparing(TunedTiles::bits)
            .thenComparing(line -> line.extents().values().stream().mapToDouble(Math::log).sum())
            .thenComparing(TunedTiles::extentsText);

    /** A table without lines. */
    public static final Tuning EMPTY = new Tuning(List.of(), List.of());

    private final List<TunedPreset> lines;
    private final List<TunedTiles> tiles;

    private Tuning(List<TunedPreset> lines, List<TunedTiles> tiles) {
        this.lines = lines.stream().sorted(ORDER).toList();
        this.tiles = tiles.stream().sorted(TILES_ORDER).toList();
    }

    /** A table of these lines; of two about the same arrays on the same GPU, the later one counts. */
    public static Tuning of(List<TunedPreset> lines) {
        NotNull.all("lines", lines);
        return EMPTY.with(lines);
    }

    /** The library's own table, measured on the GPUs that it was developed on. */
    public static Tuning shipped() {
        return Shipped.TUNING.get();
    }

    /** Read when it is needed first. */
    private static final class Shipped {
        static final Supplier<Tuning> TUNING = ofResource(RESOURCE);
    }

    /** A table that the library brings. One that cannot be read says so each time it is asked for. */
    static Supplier<Tuning> ofResource(String name) {
        try (InputStream in = Tuning.class.getResourceAsStream(name)) {
            Tuning table = in == null ? EMPTY : TuningTable.read(name, in.readAllBytes());
            return () -> table;
        } catch (BadRequestException | IOException e) {
            return () -> {
                throw new IllegalStateException("the library's table " + name + " cannot be read: " + e.getMessage(),
                        e);
            };
        }
    }

    /**
     * Reads a file that {@link #save} or {@code tilewright tune} has written.
     *
     * @throws BadRequestException if it cannot be read, or a line is wrong; the message names file, line and rule
     */
    public static Tuning load(Path file) {
        Objects.requireNonNull(file, "file");
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(MOST_BYTES + 1);
            if (bytes.length > MOST_BYTES) {
                throw new BadRequestException(file + " has more than " + MOST_BYTES
                        + " bytes, and no table of schedules is so long");
            }
            return TuningTable.read(file.toString(), bytes);
        } catch (IOException e) {
            throw FileProblem.of("read", file, e);
        }
    }

    /**
     * The file in which {@code tilewright tune} stores schedules: {@code tilewright/schedules.tuning} beside the kernel
     * cache. Empty for a user without a home folder.
     */
    public static Optional<Path> userFile() {
        return HostEnvironment.current().kernelCacheRoot().map(root -> root.resolve("tilewright")
                .resolve("schedules.tuning"));
    }

    /**
     * The schedules measured on this user's GPUs, and the library's own for everything else. The user's file is read
     * once in a process; one that cannot be read is left aside, with a line in the log, as schedules change no bytes.
     */
    public static Tuning usual() {
        shipped(); // Fails here if it does: what initialises a class says why only once.
        return Usual.TUNING;
    }

    /** Read when it is needed first. */
    private static final class Usual {
        static final Tuning TUNING = read();

        private static Tuning read() {
            try {
                return userFile().filter(Files::exists).map(Tuning::load).orElse(EMPTY).orElse(shipped());
            } catch (BadRequestException e) {
                System.getLogger(Tuning.class.getName()).log(System.Logger.Level.WARNING, e.getMessage()
                        + ": kernels go by the schedules that the library brings");
                return shipped();
            }
        }
    }

    /**
     * Writes all lines to a file, which others see as it was before or whole.
     *
     * @throws BadRequestException if it cannot be written, with the reason
     */
    public void save(Path file) {
        Objects.requireNonNull(file, "file");
        try (AtomicFile unfinished = AtomicFile.named(file)) {
            Files.writeString(unfinished.path(), text());
            unfinished.commit();
        } catch (IOException e) {
            throw FileProblem.of("write", file, e);
        }
    }

    /** The table as text, as it is in a file: always the same for the same lines. */
    public String text() {
        return TuningTable.write(lines, tiles);
    }

    /** The lines of presets that move arrays, by GPU, preset, type of the elements and size. */
    public List<TunedPreset> lines() {
        return lines;
    }

    /** The lines of tile kernels, by GPU, kernel and size. */
    public List<TunedTiles> tiles() {
        return tiles;
    }

    /** This table with more lines, which replace those about the same arrays on the same GPU. */
    public Tuning with(List<TunedPreset> more) {
        NotNull.all("more", more);
        List<TunedPreset> all = new ArrayList<>(lines);
        for (TunedPreset line : more) {
            all.removeIf(line::replaces);
            all.add(line);
        }
        return new Tuning(all, tiles);
    }

    /** This table with more lines of tile kernels, which replace those about the same launch on the same GPU. */
    public Tuning withTiles(List<TunedTiles> more) {
        NotNull.all("more", more);
        List<TunedTiles> all = new ArrayList<>(tiles);
        for (TunedTiles line : more) {
            all.removeIf(line::replaces);
            all.add(line);
        }
        return new Tuning(lines, all);
    }

    /** This table with those lines of another that are about other arrays, launches or GPUs than its own. */
    public Tuning orElse(Tuning other) {
        Objects.requireNonNull(other, "other");
        return other.with(lines).withTiles(tiles);
    }

    /**
     * Whether a schedule of the tile kernel with this title was measured, on any GPU.
     *
     * @param kernel as in a line
     */
    public boolean hasTiles(String kernel) {
        Objects.requireNonNull(kernel, "kernel");
        return tiles.stream().anyMatch(line -> line.kernel().equals(kernel));
    }

    /**
     * The measured line that suits a launch of a tile kernel best. It is of this kernel and this GPU, has the same
     * extents where the program depends on them, and all other extents of the launch are at least half of the measured
     * ones, since fewer tiles want other schedules. Of several lines, the one with the nearest extents, as ratios.
     *
     * @param bits see {@link TunedTiles#bits}
     * @param gpu the GPU's name, as the driver gives it
     * @param target what kernels are compiled for on it
     * @param extents of all the kernel's dimensions, by name
     * @param ofTiles names of the dimensions that its programs are made for
     */
    public Optional<TunedTiles> findTiles(String bits, String gpu, Target target, Map<String, Long> extents,
            List<String> ofTiles) {
        NotNull.all("bits, gpu, target, extents, ofTiles", bits, gpu, target, NotNull.entries("extents", extents),
                ofTiles);
        return tiles.stream().filter(line -> line.isOf(bits, gpu, target)
                && line.extents().entrySet().stream().allMatch(measured -> {
                    Long extent = extents.get(measured.getKey());
                    return extent != null && (ofTiles.contains(measured.getKey()) ? extent.equals(measured.getValue())
                            : extent >= measured.getValue() / 2.0);
                })).min(Comparator.comparingDouble((TunedTiles line) -> line.distance(extents))
                        .thenComparing(TILES_ORDER));
    }

    /** Whether a schedule of this preset was measured, on any GPU; one that was not is built as it stands. */
    public boolean has(Preset preset) {
        Objects.requireNonNull(preset, "preset");
        return lines.stream().anyMatch(line -> line.preset().equals(preset.name()));
    }

    /**
     * The line that suits an array best: of this preset on this GPU; of an array of this many dimensions, or of any
     * number where the preset takes arrays as one long row; of the same type of elements if there is one, else of the
     * type whose size is nearest; of the size that is nearest, as a ratio. A schedule serves arrays of any size above
     * and down to an eighth of the measured one: smaller ones may be few tiles.
     *
     * @param gpu the GPU's name, as the driver gives it
     * @param target what kernels are compiled for on it
     * @param preset its name
     * @param shape the array's dimensions, outermost first
     * @throws IllegalArgumentException if the shape is none of an array of 1 to 5 dimensions
     */
    public Optional<TunedPreset> find(String gpu, Target target, String preset, ElementType type, List<Long> shape) {
        NotNull.all("gpu, target, preset, type, shape", gpu, target, preset, type, shape);
        long bytes = TunedPreset.bytes(type, shape);
        return of(gpu, target, preset, shape).filter(line -> line.bytes() / SMALLER <= bytes)
                .min(Comparator.comparing((TunedPreset line) -> line.shape().size() != shape.size())
                        .thenComparing(line -> line.type() != type)
                        .thenComparing(line -> distance(line.type().bytes(), type.bytes()))
                        .thenComparing(line -> distance(line.bytes(), bytes))
                        .thenComparing(ORDER));
    }

    /** Measured schedules of a preset on a GPU, for arrays of any size with as many dimensions as {@code shape}. */
    private Stream<TunedPreset> of(String gpu, Target target, String preset, List<Long> shape) {
        return lines.stream().filter(line -> line.measurement().gpu().equals(gpu)
                && line.measurement().target().equals(target) && line.preset().equals(preset)
                && serves(line, shape.size()));
    }

    private static boolean serves(TunedPreset line, int rank) {
        return line.shape().size() == rank || Presets.CATALOG.find(line.preset())
                .filter(preset -> isOneRow(preset, line.type(), rank)
                        && isOneRow(preset, line.type(), line.shape().size()))
                .isPresent();
    }

    /** Whether a preset takes arrays of this many dimensions as one long row. */
    private static boolean isOneRow(Preset preset, ElementType type, int rank) {
        Schedule settings = preset.settings(type, rank, Schedule.DEFAULT);
        return !settings.get(TensorCopy.Builder.TILE.name()).orElse("").contains("x");
    }

    private static double distance(long a, long b) {
        return Math.abs(Math.log((double) a / b));
    }

    /**
     * A preset's kernel with the schedule that suits an array best, or the preset as it stands where there is none:
     * {@link TunedKernel#reason} says which. It serves arrays of other shapes too.
     *
     * @param type of the elements
     * @param shape the array's dimensions, outermost first
     * @param gpu the GPU's name: {@code gpu.name()}
     * @param target what kernels are compiled for on it: {@code gpu.target()}
     * @throws BadRequestException if the preset has no kernel for such elements
     */
    public TunedKernel kernel(Preset preset, ElementType type, List<Long> shape, String gpu, Target target) {
        NotNull.all("preset, type, shape, gpu, target", preset, type, shape, gpu, target);
        Optional<TunedPreset> found = find(gpu, target, preset.name(), type, shape);
        String asked = preset.name() + " of " + type + " with " + shape.size()
                + (shape.size() == 1 ? " dimension" : " dimensions") + " on " + gpu + " (" + target + ")";
        String why = of(gpu, target, preset.name(), shape).min(Comparator.comparingLong(TunedPreset::bytes))
                .map(least -> "the smallest array that was measured, " + least.shapeText() + " " + least.type()
                + ", is more than "
                        + SMALLER + " times as large as " + TunedPreset.text(shape) + " " + type + " (" + asked + ")")
                .orElse("there is no measurement of " + asked);
        if (found.isPresent()) {
            TunedPreset line = found.get();
            String from = "measured on " + gpu + " with " + line.shapeText() + " " + line.type() + " on "
                    + line.measurement().date();
            try {
                ElementwiseKernel kernel = preset.build(type, shape.size(), line.schedule());
                return new TunedKernel(kernel, found, line.schedule() + ": " + from);
            } catch (BadRequestException e) {
                why = "the schedule " + from + " does not suit: " + e.getMessage();
            }
        }
        return new TunedKernel(preset.build(type, shape.size(), Schedule.DEFAULT), Optional.empty(),
                "the preset as it stands: " + why);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Tuning tuning && lines.equals(tuning.lines) && tiles.equals(tuning.tiles);
    }

    @Override
    public int hashCode() {
        return 31 * lines.hashCode() + tiles.hashCode();
    }

    /** How many lines there are. */
    @Override
    public String toString() {
        return Counted.of(lines.size() + tiles.size(), "schedule");
    }
}
