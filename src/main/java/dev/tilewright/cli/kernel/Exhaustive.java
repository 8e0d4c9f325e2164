package dev.tilewright.cli.kernel;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tilewright.BadRequestException;
import dev.tilewright.Counted;
import dev.tilewright.explain.timeline.OrderTable;
import dev.tilewright.explain.timeline.Timeline;
import dev.tilewright.hazard.explore.Exploration;
import dev.tilewright.hazard.explore.Explorer;
import dev.tilewright.hazard.explore.Order;
import dev.tilewright.hazard.explore.Unsupported;
import dev.tilewright.verify.KernelCheck;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * What every order of a kernel's launch shows.
 *
 * @param states that were looked at
 * @param same whether every order gives the same bytes; false where that is not known
 * @param notExplored why it is not known; left out where it is
 * @param order that goes wrong, or gives other bytes; left out where none does
 * @param differs where its bytes differ from those of another order
 */
public record Exhaustive(int threads, int blocks, int states, boolean same,
        @JsonInclude(JsonInclude.Include.NON_NULL) String notExplored,
        @JsonInclude(JsonInclude.Include.NON_NULL) Timeline order,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> differs) {
    private static final int MOST_DIFFERENCES = 4;
    private static final int MIB = 20;
    /** What is kept of the buffers at once: as they are at first, and as two orders leave them. */
    private static final int COPIES = 4;

    public Exhaustive {
        differs = List.copyOf(differs);
    }

    /**
     * Refuses a kernel whose launch has too many threads or too large buffers, before anything runs.
     *
     * @param smaller the options that make a preset's launch small enough
     * @throws BadRequestException if it has
     */
    static void requireSmall(String name, KernelCheck check, boolean isPreset, Supplier<Optional<String>> smaller) {
        KernelCheck.Size size = check.size();
        int blocks = size.blocks();
        int threads = check.program().threads();
        long bytes = size.bytes();
        long most = Explorer.mostBytes() / COPIES;
        if (bytes > most) {
            throw new BadRequestException(name + " is too large for --exhaustive: its buffers have " + (bytes >> MIB)
                    + " MiB, and this JVM has memory for the orders of " + (most >> MIB) + " MiB: name a Launch of"
                    + " smaller buffers, or give it more (TILEWRIGHT_JAVA_OPTS=-Xmx8g)");
        }
        if (blocks * threads > Explorer.MOST_THREADS) {
            throw new BadRequestException(name + " is too large for --exhaustive: its launch has "
                    + Counted.of(blocks, "block") + " of " + Counted.of(threads, "thread") + ", "
                    + blocks * threads + " together, and every order is tried of at most " + Explorer.MOST_THREADS
                    + (!isPreset ? ": name a Launch of fewer blocks, or a kernel of fewer threads"
                    : smaller.get().map(options -> ": give " + options).orElse(threads > Explorer.MOST_THREADS
                    ? ", fewer than a block of this kernel has" : ": no option was found that makes it so small")));
        }
    }

    /**
     * Explores a kernel.
     *
     * @throws BadRequestException if its launch has more states than the bound
     */
    static Exhaustive of(String name, KernelCheck check, int bound) {
        int blocks = check.size().blocks();
        int threads = blocks * check.program().threads();
        Optional<String> unknown = Explorer.unknown(check.program());
        if (unknown.isPresent()) {
            return new Exhaustive(threads, blocks, 0, false, unknown.get(), null, List.of());
        }
        Exploration verdict;
        try {
            verdict = check.explore(bound);
        } catch (Unsupported e) {
            return new Exhaustive(threads, blocks, 0, false, e.getMessage(), null, List.of());
        }
        if (verdict.isWrong()) {
            Order last = verdict.orders().getLast();
            return new Exhaustive(threads, blocks, verdict.states(), false, null,
                    OrderTable.of(check.program(), blocks, last), differences(verdict.orders()));
        }
        if (verdict.bounded()) {
            throw new BadRequestException(name + " is too large for --exhaustive: " + switch (verdict.limit()) {
                case STATES -> "it stopped after " + Counted.of(bound, "state") + " (--bound)";
                case MEMORY -> "it stopped after " + Counted.of(verdict.states(), "state") + ", since the states on "
                        + "the way to the last one take " + (Explorer.mostBytes() >> MIB) + " MiB, a quarter of what "
                        + "this JVM"
                        + " has, so that no --bound would do";
                default -> "it stopped after " + Counted.of(verdict.states(), "state")
                        + " and the most steps that it takes, so that no --bound would do";
            } + ", and none of the orders so far goes wrong. How many states there are is not known: each step that"
                    + " nothing orders multiplies them. Give " + switch (verdict.limit()) {
                        case STATES -> "a larger --bound, or ";
                        case MEMORY -> "the JVM more memory (TILEWRIGHT_JAVA_OPTS=-Xmx8g), or ";
                        default -> "";
                    } + "a launch of fewer threads, blocks or turns of its loops");
        }
        return new Exhaustive(threads, blocks, verdict.states(), true, null, null, List.of());
    }

    private static List<String> differences(List<Order> orders) {
        List<String> differences = new ArrayList<>();
        if (orders.size() < 2 || orders.stream().anyMatch(o -> o.memory().isEmpty())) {
            return differences;
        }
        for (int buffer = 0; buffer < orders.getFirst().memory().size(); buffer++) {
            byte[] one = orders.getFirst().memory().get(buffer);
            byte[] other = orders.getLast().memory().get(buffer);
            for (int i = 0; i < one.length && differences.size() < MOST_DIFFERENCES; i++) {
                if (one[i] != other[i]) {
                    differences.add(String.format("byte %d of buffer %d is 0x%02x in another order, 0x%02x in this one",
                            i, buffer, one[i], other[i]));
                }
            }
        }
        return differences;
    }

    /** For people. */
    List<String> lines() {
        String launch = Counted.of(threads, "thread") + " in " + Counted.of(blocks, "block");
        if (notExplored != null) {
            return List.of("not every order was tried: the explorer does not know " + notExplored,
                    "  what it does not know is in check --help; the check above knows it. To try every order of the"
                            + " rest, explore a kernel that moves the same tiles and does not compute with them");
        }
        if (same) {
            return List.of("every order of " + launch + " gives these bytes (" + Counted.of(states, "state") + ")");
        }
        List<String> lines = new ArrayList<>();
        lines.add("an order of " + launch + (order.fault().isEmpty() ? " gives other bytes: "
                + differs.stream().collect(Collectors.joining("; ")) : " goes wrong: " + order.fault()));
        order.lines().stream().skip(1).map(line -> "  " + line).forEach(lines::add);
        return lines;
    }
}
