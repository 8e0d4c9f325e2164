package dev.tilewright.builder;

import dev.tilewright.Counted;
import dev.tilewright.NotNull;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Choices for a kernel: values of its options, and how many tiles each block takes. What is not here is as the preset,
 * the builder or the lowering has it. As text, {@code stages=4 tile=16384B, 2 tiles a block}: see {@link #parse}.
 *
 * {@snippet :
 * Schedule.DEFAULT.with(TileOption.STAGES, 3).with(GridPolicy.tilesEach(1))    // stages=3, 1 tile a block
 * }
 *
 * <p>An option is declared once, by its builder ({@link Option}) or as one of tile kernels ({@link TileOption}). Its
 * values are kept as users write them, and read, with the option's range, when the schedule meets a kernel.
 *
 * @param options values by the names of options; a tile's row may be in bytes ({@code 8x512B}), so that it suits
 *     elements of any size
 * @param grid how many tiles each block takes; empty for the kernel's own choice
 */
public record Schedule(Map<String, String> options, Optional<GridPolicy> grid) {
    /** A schedule that says nothing: what the preset or the builder has. */
    public static final Schedule DEFAULT = new Schedule(Map.of(), Optional.empty());

    private static final String NO_OPTIONS = "none";
    private static final String OWN_GRID = "own";
    private static final Pattern GRID = Pattern.compile(
            "([1-9]\\d{0,8}) (?:(tiles? a block)(?: in waves of ([1-9]\\d{0,8}))?|(blocks?))");

    public Schedule {
        NotNull.entries("options", options);
        NotNull.all("grid", grid);
        options = Collections.unmodifiableMap(new TreeMap<>(options));
    }

    /**
     * Reads {@code stages=4 tile=16384B}, or {@code none}, and behind a comma the grid as {@link #gridText} has it.
     *
     * @throws IllegalArgumentException if the text is none of these, or names an option twice
     */
    public static Schedule parse(String text) {
        Objects.requireNonNull(text, "text");
        int comma = text.indexOf(", ");
        return parse(comma < 0 ? text : text.substring(0, comma),
                comma < 0 ? OWN_GRID : text.substring(comma + 2));
    }

    /**
     * Reads options and a grid that stand apart.
     *
     * @throws IllegalArgumentException as {@link #parse(String)}
     */
    public static Schedule parse(String options, String grid) {
        NotNull.all("options, grid", options, grid);
        Schedule schedule = new Schedule(Map.of(), readGrid(grid));
        if (options.equals(NO_OPTIONS)) {
            return schedule;
        }
        for (String option : options.split(" +", -1)) {
            int equals = option.indexOf('=');
            if (equals < 0) {
                throw new IllegalArgumentException("options are such as 'stages=4 tile=64x128', or '" + NO_OPTIONS
                        + "', got '" + option + "'");
            }
            String name = option.substring(0, equals);
            if (schedule.has(name)) {
                throw new IllegalArgumentException("options name '" + name + "' twice");
            }
            schedule = schedule.with(name, option.substring(equals + 1));
        }
        return schedule;
    }

    private static Optional<GridPolicy> readGrid(String text) {
        if (text.equals(OWN_GRID)) {
            return Optional.empty();
        }
        Matcher grid = GRID.matcher(text);
        if (!grid.matches()) {
            throw new IllegalArgumentException("grid is '2 tiles a block', '264 blocks', '2 tiles a block in waves of "
                    + "264' or '" + OWN_GRID + "', got '" + text + "'"
                    + (text.contains("=") ? ": options stand before the comma, with spaces between them" : ""));
        }
        int count = Integer.parseInt(grid.group(1));
        if (grid.group(3) != null) {
            return Optional.of(GridPolicy.waves(Integer.parseInt(grid.group(3)), count));
        }
        return Optional.of(grid.group(2) != null ? GridPolicy.tilesEach(count) : GridPolicy.over(count));
    }

    /** Whether a value is chosen for the option of this name. */
    public boolean has(String option) {
        return options.containsKey(Objects.requireNonNull(option, "option"));
    }

    /** Whether a value is chosen for an option. */
    public boolean has(ScheduleOption<?> option) {
        return has(Objects.requireNonNull(option, "option").name());
    }

    /**
     * Whether this value is chosen for an option.
     *
     * @throws dev.tilewright.BadRequestException if the value is out of the option's range
     */
    public <V> boolean has(ScheduleOption<V> option, V value) {
        NotNull.all("option, value", option, value);
        return option.legal(value).equals(options.get(option.name()));
    }

    /** The value chosen for the option of this name, as a user would write it. */
    public Optional<String> get(String option) {
        return Optional.ofNullable(options.get(Objects.requireNonNull(option, "option")));
    }

    /**
     * The value chosen for an option of tile kernels.
     *
     * @throws dev.tilewright.BadRequestException if the text that was chosen is none of its values
     */
    public <V> Optional<V> get(TileOption<V> option) {
        return Objects.requireNonNull(option, "option").in(this);
    }

    /**
     * This schedule with another value of an option, such as {@code with(TileOption.STAGES, 3)}.
     *
     * @throws dev.tilewright.BadRequestException if the value is out of the option's range
     */
    public <V> Schedule with(ScheduleOption<V> option, V value) {
        NotNull.all("option, value", option, value);
        return with(option.name(), option.legal(value));
    }

    /** This schedule with another value of an option, as a user would write it. */
    public Schedule with(String option, String value) {
        NotNull.all("option, value", option, value);
        return with(new Schedule(Map.of(option, value), Optional.empty()));
    }

    /** This schedule with all that another one chooses. */
    public Schedule with(Schedule changes) {
        Objects.requireNonNull(changes, "changes");
        Map<String, String> all = new TreeMap<>(options);
        all.putAll(changes.options);
        return new Schedule(all, changes.grid.or(() -> grid));
    }

    /** This schedule with another grid. */
    public Schedule with(GridPolicy policy) {
        return new Schedule(options, Optional.of(Objects.requireNonNull(policy, "policy")));
    }

    /** This schedule without what it chooses for the option of this name. */
    public Schedule without(String option) {
        Objects.requireNonNull(option, "option");
        Map<String, String> fewer = new TreeMap<>(options);
        fewer.remove(option);
        return new Schedule(fewer, grid);
    }

    /** Each of these with each of the values of an option. */
    public static List<Schedule> combinations(List<Schedule> schedules, String option, Collection<String> values) {
        NotNull.all("schedules, option, values", schedules, option, values);
        return schedules.stream().flatMap(one -> values.stream().map(value -> one.with(option, value))).toList();
    }

    /** The options in the order of their names: {@code stages=4 tile=16384B}, or {@code none}. */
    public String optionsText() {
        return options.isEmpty() ? NO_OPTIONS : String.join(" ", options.entrySet().stream()
                .map(option -> option.getKey() + "=" + option.getValue()).toList());
    }

    /** The grid in words: {@code 4 tiles a block}, {@code 264 blocks}, {@code own}. */
    public String gridText() {
        return grid.map(policy -> switch (policy) {
            case GridPolicy.Each(int count) -> Counted.of(count, "tile") + " a block";
            case GridPolicy.Over(int blocks) -> Counted.of(blocks, "block");
            case GridPolicy.Waves(int blocks, int count) -> Counted.of(count, "tile")
                    + " a block in waves of " + blocks;
        }).orElse(OWN_GRID);
    }

    /** The text that {@link #parse} reads: {@code stages=4 tile=16384B, 2 tiles a block}. */
    @Override
    public String toString() {
        return optionsText() + grid.map(_ -> ", " + gridText()).orElse("");
    }
}
