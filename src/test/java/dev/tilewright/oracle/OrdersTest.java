package dev.tilewright.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.hazard.HazardOptions;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.program.Launch;
import dev.tilewright.reference.Reference;
import dev.tilewright.reference.ReferenceOptions;
import dev.tilewright.reference.fault.ReferenceException;
import dev.tilewright.reference.fault.ReferenceStoppedException;
import dev.tilewright.reference.observe.ExecutionObserver;
import dev.tilewright.verify.draw.RolePrograms;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The reference with its shortcuts, in orders that seeds choose, and watched as the check watches it, against a plain
 * run ({@link ReferenceOptions#plain}): drawn kernels leave the same bytes in each, or make the same mistake. Kernels
 * without races leave in every order what a computation says that shares no code with the reference, and are clean;
 * those with races leave the same wherever turns come in the order of threads. An ordinary run takes 75; {@code
 * -Dtilewright.orders=100000} for as many, {@code -Dtilewright.orders.from} for the first.
 */
class OrdersTest {
    private static final int ORDINARY = 300;
    private static final int SEEDS = 3;
    private static final String PLAIN = "the plain run";
    private static final long MOST_STEPS = 100_000;
    private static final ReferenceOptions FIXED = ReferenceOptions.DEFAULT.withMostSteps(MOST_STEPS);
    private static final ExecutionObserver WATCHER = (ExecutionObserver) Proxy.newProxyInstance(
            OrdersTest.class.getClassLoader(), new Class<?>[] {ExecutionObserver.class},
            (_, method, _) -> method.getReturnType() == boolean.class ? true : null);

    /**
     * A launch, what its buffers hold before, and what after; null where its order says.
     *
     * @param storesRace whether bulk stores may be in races: a plain run writes them later
     */
    private record Kernel(String what, Launch launch, List<byte[]> before, List<byte[]> after, boolean races,
            boolean storesRace) {
    }

    /** What a run came to. @param mistake the empty word where it ended well */
    private record Outcome(String mistake, List<byte[]> memory) {
        boolean is(Outcome other) {
            return mistake.equals(other.mistake) && (!mistake.isEmpty() || leaves(other.memory));
        }

        boolean leaves(List<byte[]> bytes) {
            for (int i = 0; i < bytes.size(); i++) {
                if (!Arrays.equals(memory.get(i), bytes.get(i))) {
                    return false;
                }
            }
            return true;
        }
    }

    private static Kernel draw(long number) {
        int kind = (int) (number % 10);
        if (kind == 9) {
            Sample sample = Drawn.kernel(number);
            return new Kernel("oracle", sample.launch(), Sample.memory(), null, sample.isEdited(),
                    sample.isEdited());
        }
        if (kind == 8 && number / 10 % 2 == 0) {
            return new Kernel("ends", Ends.draw(number).launch(), Sample.memory(), null, true, false);
        }
        if (kind == 7 && number / 10 % 2 == 0) {
            return new Kernel("looks", Looks.draw(number).launch(), Sample.memory(), null, true, false);
        }
        boolean races = number % 10 > 5;
        RolePrograms made = new RolePrograms(number, races);
        return new Kernel(races ? "roles with races" : "roles", made.launch(), made.before(number),
                races ? null : made.after(number), races, false);
    }

    private static Outcome run(Kernel kernel, ReferenceOptions options, ExecutionObserver observer) {
        try (Arena arena = Arena.ofShared()) {
            List<MemorySegment> memory = memory(arena, kernel);
            String mistake = "";
            try {
                Reference.run(kernel.launch, memory, options, observer);
            } catch (ReferenceStoppedException e) {
                mistake = "stopped";
            } catch (ReferenceException e) {
                mistake = e.getMessage();
            }
            return new Outcome(mistake, bytes(memory));
        }
    }

    private static List<MemorySegment> memory(Arena arena, Kernel kernel) {
        return kernel.before.stream()
                .map(b -> arena.allocate(b.length, 256).copyFrom(MemorySegment.ofArray(b))).toList();
    }

    private static List<byte[]> bytes(List<MemorySegment> memory) {
        return memory.stream().map(m -> m.toArray(ValueLayout.JAVA_BYTE)).toList();
    }

    /** What is wrong with it; the empty word for nothing. */
    private static String compare(Kernel kernel, long number, Outcome plain) {
        // On one CPU thread, or several: what a block finds of the one before it on its CPU thread differs.
        Outcome fast = run(kernel, number % 4 < 3 ? FIXED.sequential() : FIXED, null);
        Outcome watched = run(kernel, FIXED, WATCHER);
        if (!watched.is(fast)) {
            return differs("the default order", "the watched run", watched, fast);
        }
        if (kernel.storesRace) {
            return "";
        }
        if (!plain.is(fast)) {
            return differs("the default order", PLAIN, plain, fast);
        }
        if (kernel.races) {
            return "";
        }
        if (kernel.after != null && !plain.leaves(kernel.after)) {
            return "the plain run leaves other bytes than the direct computation: " + plain.mistake;
        }
        for (int i = 1; i <= SEEDS; i++) {
            Outcome other = run(kernel, FIXED.withSeed(SEEDS * number + i), null);
            if (!plain.is(other)) {
                return differs("seed " + (SEEDS * number + i), PLAIN, plain, other);
            }
        }
        try (Arena arena = Arena.ofShared()) {
            List<MemorySegment> memory = memory(arena, kernel);
            var report = HazardCheck.check(kernel.launch, memory, HazardOptions.DEFAULT.withExtraSteps(0));
            return !report.findings().isEmpty() ? "not clean: " + report
                    : plain.leaves(bytes(memory)) ? "" : "the check leaves other bytes than the plain run";
        }
    }

    private static String differs(String what, String from, Outcome right, Outcome other) {
        return what + " differs from " + from + ": " + (right.mistake.equals(other.mistake) ? "other bytes"
                : "'" + other.mistake + "', not '" + right.mistake + "'");
    }

    /** Kernels for which things once landed after another round in a run with shortcuts than in others. */
    @ParameterizedTest
    @ValueSource(longs = {67, 607, 4886, 5717, 10016})
    void theseLeaveWhatAPlainRunLeaves(long number) {
        Kernel kernel = draw(number);
        assertEquals("", compare(kernel, number, run(kernel, FIXED.plain(), null)));
    }

    @Test
    void everyOrderLeavesWhatAPlainRunLeaves() {
        long from = Long.getLong("tilewright.orders.from", 0);
        int count = Integer.getInteger("tilewright.orders", ORDINARY);
        int oneIn = Thorough.oneIn("tilewright.orders", 4);
        Map<String, Integer> counts = new ConcurrentSkipListMap<>();
        Map<Long, String> bad = new ConcurrentSkipListMap<>();
        LongStream.range(from, from + count).filter(n -> Thorough.takes(n, oneIn)).parallel().forEach(number -> {
            Kernel kernel = draw(number);
            Outcome plain = run(kernel, FIXED.plain(), null);
            String wrong = compare(kernel, number, plain);
            counts.merge(kernel.what + (plain.mistake.isEmpty() ? "" : " that end with a mistake") + ": "
                    + (wrong.isEmpty() ? "the same in all runs"
                    : wrong.split(":")[0].replaceAll("seed \\d+", "a seed")), 1, Integer::sum);
            if (!wrong.isEmpty()) {
                bad.put(number, number + ", " + kernel.what + ": " + wrong);
            }
            if (count == 1) {
                System.err.println(CudaEmitter.emit(kernel.launch.program()).text());
            }
        });
        if (count > ORDINARY) {
            counts.forEach((what, n) -> System.err.println(n + " " + what));
        }
        assertTrue(bad.isEmpty(), () -> bad.size() + " of " + counts + "\n"
                + bad.values().stream().limit(5).collect(Collectors.joining("\n")));
    }
}
