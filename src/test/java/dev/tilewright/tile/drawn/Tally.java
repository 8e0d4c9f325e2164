package dev.tilewright.tile.drawn;

import dev.tilewright.builder.Schedule;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.Comparison;
import dev.tilewright.program.value.ValueMath;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.copy.CpAsync;
import dev.tilewright.ptx.copy.TensorStore;
import dev.tilewright.tile.Axis;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileNode;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** How often what the language offers was drawn: traits of kernels, launches and schedules, by group and name. */
public final class Tally {
    private static final String ENGINE = "copy engine";

    private static final String PATH = "tiles by";

    private final Map<String, Map<String, LongAdder>> counts = new ConcurrentSkipListMap<>();

    /** Counts a case: each of its traits once. */
    public void add(DrawnCase drawn, Schedule schedule, Launch launch) {
        traits(drawn.drawn().kernel()).forEach((group, names) -> names.forEach(name -> add(group, name)));
        add("kind of kernel", drawn.drawn().kind());
        if (schedule.equals(Schedule.DEFAULT)) {
            add("schedule", "default");
        }
        schedule.options().forEach((option, value) -> add("schedule", option.equals("tile") ? option
                : option + "=" + value));
        schedule.grid().ifPresent(_ -> add("schedule", schedule.gridText()));
        add(PATH, path(launch));
        if (launch.program().instructions().stream().anyMatch(TensorStore.class::isInstance)) {
            add("results", "stored by the copy engine");
        }
        for (ArrayShape shape : drawn.shapes().values()) {
            add("tensors", shape.isDense() ? "dense" : "strided");
        }
        drawn.drawn().kernel().grid().steps().forEach(steps -> add("grid",
                steps.dim().in(drawn.extents()).orElseThrow() % steps.length() == 0 ? "even" : "ragged"));
    }

    /** What brings a launch's tiles: the copy engine, {@code cp.async}, which is the ring's, or registers. */
    public static String path(Launch launch) {
        return launch.arguments().stream().anyMatch(Argument.Tensor.class::isInstance) ? ENGINE
                : launch.program().instructions().stream().anyMatch(CpAsync.class::isInstance) ? "cp.async"
                : "registers";
    }

    /** To which part of all cases the copy engine brought tiles. */
    public double copied() {
        return part(ENGINE);
    }

    /** {@code tiles by: copy engine 33.1 %, cp.async 8.0 %, registers 58.9 %}. */
    public String paths() {
        return counts.getOrDefault(PATH, Map.of()).keySet().stream().map(path -> String.format(Locale.ROOT,
                "%s %.1f %%", path, 100 * part(path))).collect(Collectors.joining(", ", PATH + ": ", ""));
    }

    private double part(String path) {
        Map<String, LongAdder> paths = counts.getOrDefault(PATH, Map.of());
        long all = paths.values().stream().mapToLong(LongAdder::sum).sum();
        return paths.containsKey(path) ? paths.get(path).doubleValue() / all : 0;
    }

    private void add(String group, String name) {
        counts.computeIfAbsent(group, _ -> new ConcurrentSkipListMap<>()).computeIfAbsent(name, _ -> new LongAdder())
                .increment();
    }

    /** What a kernel has, by group. */
    public static Map<String, Set<String>> traits(TileKernel kernel) {
        Map<String, Set<String>> traits = new TreeMap<>();
        for (Tensor tensor : kernel.tensors()) {
            put(traits, "type of a tensor", tensor.type());
            put(traits, "rank", tensor.dims().size());
            put(traits, "role", tensor.role());
        }
        kernel.scalars().forEach(scalar -> put(traits, "scalar", scalar.type()));
        region(kernel.grid().body(), traits);
        return traits;
    }

    private static void put(Map<String, Set<String>> traits, String group, Object name) {
        traits.computeIfAbsent(group, _ -> new TreeSet<>()).add(name.toString().toLowerCase(Locale.ROOT));
    }

    private static void region(Region region, Map<String, Set<String>> traits) {
        for (Region.Item item : region.items()) {
            switch (item) {
                case Tile tile -> tile(tile, traits);
                case Region.Store store -> {
                    put(traits, "update", store.update() + (store.axes().getFirst() instanceof Axis.Rows
                            ? " of scattered rows" : ""));
                    axes(store.axes(), traits);
                }
                case Region.When when -> {
                    put(traits, "node", "when");
                    region(when.then(), traits);
                }
                case TileNode.Loop loop -> {
                    put(traits, "loop", (loop.parts() > 1 ? "in parts, " : "") + loop.carried().size() + " carried");
                    region(loop.body(), traits);
                }
            }
        }
    }

    private static void tile(Tile tile, Map<String, Set<String>> traits) {
        put(traits, "node", tile.node().getClass().getSimpleName());
        put(traits, "rank of a tile", tile.shape().size());
        switch (tile.node()) {
            case TileNode.Map map -> operations(map.value(), operation -> put(traits, "operation", operation));
            case TileNode.Reduce reduce -> put(traits, "reduction", reduce.reduction() + " of "
                    + reduce.of().type());
            case TileNode.Scan scan -> put(traits, "scan", scan.reduction());
            case TileNode.Extreme extreme -> put(traits, "extreme", extreme.greatest() ? "greatest" : "least");
            case TileNode.Product(Tile c, Tile a, Tile b) -> put(traits, "product", a.type() + " x " + b.type() + " to "
                    + c.type());
            case TileNode.Load load -> {
                axes(load.axes(), traits);
                ValueType type = load.outside().type();
                long word = load.outside().word();
                put(traits, "outside", word == 0 ? "zero" : type.isArithmetic()
                        && ValueMath.compare(Comparison.NE, type).test(word, word) ? "NaN" : "a number");
            }
            default -> { }
        }
    }

    private static void axes(Iterable<Axis> axes, Map<String, Set<String>> traits) {
        for (Axis axis : axes) {
            put(traits, "axis", switch (axis) {
                case Span span -> span.single() ? "a place" : span.length().size().isEmpty() ? "all"
                        : span.step() == 1 ? "places in a row" : "places apart";
                case Axis.Rows _ -> "rows by numbers";
                case Axis.Patches patches -> "patches of " + patches.filter().size() + " dimensions";
            });
        }
    }

    private static void operations(Value value, Consumer<String> to) {
        if (value instanceof Value.Compound compound) {
            to.accept(switch (compound) {
                case Value.Unary unary -> unary.op().toString();
                case Value.Binary binary -> binary.op().toString();
                case Value.Compare compare -> compare.comparison().toString();
                case Value.Convert convert -> "to " + convert.conversion().to();
                default -> compound.getClass().getSimpleName();
            });
            compound.parts().forEach(part -> operations(part, to));
        } else if (value instanceof Value.Call call) {
            to.accept(call.function().name());
            call.arguments().forEach(argument -> operations(argument, to));
        }
    }

    /** A line for each group: how many cases have each of its traits. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        counts.forEach((group, names) -> {
            text.append(group).append(':');
            names.forEach((name, count) -> text.append(' ').append(name).append(' ').append(count).append(','));
            text.setCharAt(text.length() - 1, '\n');
        });
        return text.toString();
    }
}
