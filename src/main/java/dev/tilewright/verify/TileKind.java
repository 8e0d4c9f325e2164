package dev.tilewright.verify;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.Schedule;
import dev.tilewright.builder.TileOption;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Steps;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.kernel.TilePreset;
import dev.tilewright.tile.kernel.TilePresets;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** Launches of presets that are tile kernels, see {@link TileCase}. */
public final class TileKind implements CaseKind {
    static final String NAME = "tile";
    static final String EXTENT = "extent.";
    /** Of a dimension that no tile steps along, such as the width of rows. */
    private static final int MOST = 300;
    private static final int DRAWN_MULTIPROCESSORS = 4;
    private static final int MOST_MULTIPROCESSORS = 1 << 12;
    /** Every other case leaves the threads to the kernel. */
    private static final List<Schedule> SCHEDULES = List.of(Schedule.DEFAULT, Schedule.DEFAULT, Schedule.DEFAULT,
            Schedule.DEFAULT.with(TileOption.THREADS, 64), Schedule.DEFAULT.with(TileOption.THREADS, 256),
            Schedule.DEFAULT.with(TileOption.THREADS, 512));
    private static final int TRIES = 100;

    private final List<TilePreset> drawn;

    /** @param drawn what cases are drawn of; where there is none, no case is drawn */
    public TileKind(List<TilePreset> drawn) {
        this.drawn = List.copyOf(drawn);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public int weight() {
        return drawn.isEmpty() ? 0 : 1;
    }

    @Override
    public boolean isOfPresets() {
        return true;
    }

    @Override
    public TileCase parse(CaseLine line) {
        TileCase one = read(line.read());
        return made(line, () -> one);
    }

    /** The last fields of a line. */
    static TileCase read(CaseFields fields) {
        TilePreset preset = fields.read("preset", name -> TilePresets.find(name).orElseThrow(() ->
                new IllegalArgumentException("there is no tile kernel of that name: there are "
                        + TilePresets.ALL.stream().map(TilePreset::name).toList())));
        ValueType type = fields.choice("type", ValueType.class);
        Target target = fields.read("target", Target::parse);
        Map<String, Long> extents = new TreeMap<>();
        fields.numbers(EXTENT, 0, Long.MAX_VALUE).forEach(extents::put);
        TileCase one = new TileCase(preset, type, target, fields.schedule(), extents,
                fields.number("multiprocessors", 1, MOST_MULTIPROCESSORS), fields.number("seed"));
        fields.end();
        return one;
    }

    /** A case that can be. @throws BadRequestException with why, if it cannot */
    static <C extends VerifyCase> C made(CaseLine line, Supplier<C> code) {
        try {
            C one = code.get();
            one.work();
            return one;
        } catch (ArithmeticException e) {
            throw new BadRequestException("the case '" + line + "' cannot be: its extents are too large", e);
        } catch (IllegalArgumentException e) {
            throw new BadRequestException("the case '" + line + "' cannot be: "
                    + String.join("; ", e.getMessage().lines().map(String::strip).toList()), e);
        }
    }

    @Override
    public List<TileCase> draw(SplittableRandom random, int count) {
        TileCase first = possible("a tile kernel", () -> draw(random));
        return IntStream.range(0, count).mapToObj(_ -> first.with(random.nextInt())).toList();
    }

    /** The first draw that can be. */
    static <C extends VerifyCase> C possible(String what, Supplier<C> draw) {
        for (int i = 0; i < TRIES; i++) {
            C one = draw.get();
            try {
                one.work();
                return one;
            } catch (IllegalArgumentException e) {
                // Tiles of these extents are too large for so few threads: others are drawn.
            }
        }
        throw new IllegalStateException("no case of " + what + " was found in " + TRIES + " tries");
    }

    private TileCase draw(SplittableRandom random) {
        TilePreset preset = drawn.get(random.nextInt(drawn.size()));
        ValueType type = preset.types().get(random.nextInt(preset.types().size()));
        TileKernel kernel = preset.kernel(type);
        Map<String, Long> extents = new TreeMap<>();
        for (Dim dim : kernel.dims()) {
            extents.put(dim.name(), extent(kernel.grid().steps(), dim, preset.most().getOrDefault(dim.name(),
                    Long.MAX_VALUE), random));
        }
        List<Target> targets = List.of(Target.SM_90A, Target.SM_90A, Target.SM_80).stream()
                .filter(target -> target.supports(preset.minimumTarget()) && TileLaunch.isOfHopper(kernel, target))
                .toList();
        return new TileCase(preset, type, targets.get(random.nextInt(targets.size())),
                SCHEDULES.get(random.nextInt(SCHEDULES.size())), extents,
                1 + random.nextInt(DRAWN_MULTIPROCESSORS), 0);
    }

    /** One to three tiles, whole ones of 16 bytes every other time. */
    private static long extent(List<Steps> grid, Dim dim, long limit, SplittableRandom random) {
        long most = Math.min(limit, grid.stream().filter(steps -> steps.dim().equals(dim)).mapToLong(steps ->
                Math.min(MOST, 2L * steps.length() + 2)).findFirst().orElse(MOST));
        long extent = 1 + random.nextLong(most);
        return random.nextBoolean() ? extent : Math.min(limit, Math.ceilDiv(extent, 16) * 16L);
    }
}
