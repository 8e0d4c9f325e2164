package dev.tilewright.oracle;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import dev.tilewright.hazard.explore.Exploration;
import dev.tilewright.hazard.explore.Explorer;
import dev.tilewright.hazard.explore.Unsupported;
import dev.tilewright.reference.Reference;
import dev.tilewright.reference.ReferenceOptions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/**
 * The check and the reference beside the explorer, on drawn kernels with boxes of tensors, instructions of a warp,
 * matrices and named barriers, right or an edit away; {@code -Dtilewright.oracle=10000} for so many of each.
 */
class FurtherOracleTest {
    private static final int ORDINARY = Thorough.of(16, 40);
    private static final int MOST_STATES = 400;
    private static final Map<String, Function<Plan, Part>> PARTS = Map.of("boxes", TensorPart::new, "lanes",
            ShufflePart::new, "named", NamedPart::new, "matrices", MatrixPart::new);

    private static Sample draw(String of, long seed) {
        Random random = new Random(seed * 0x9E3779B97F4A7C15L + of.hashCode());
        boolean named = of.equals("named");
        boolean matrices = of.equals("matrices");
        Plan plan = new Plan(random, named ? NamedPart.THREADS : matrices ? 32 << random.nextInt(2)
                : of.equals("lanes") ? 1 << random.nextInt(1, 3) : random.nextInt(1, 4), 1,
                named || matrices || random.nextInt(3) > 0 ? 1 : 2);
        Part part = PARTS.get(of).apply(plan);
        assertTrue(plan.fits(), part::toString);
        return new Sample(part + ", " + plan.threads + " threads, " + plan.blocks + " blocks", plan.threads,
                plan.cluster, plan.blocks, plan.regions, Kernels.steps(plan, List.of(part)));
    }

    /** Whether kernels have whole warps, whose states take long. */
    private static boolean ofWarps(String of) {
        return of.equals("named") || of.equals("matrices");
    }

    private static List<String> held(String of, Map<String, Integer> counts) {
        int count = Integer.getInteger("tilewright.oracle", ofWarps(of) ? ORDINARY / 2 : ORDINARY);
        long from = Long.getLong("tilewright.oracle.from", 0);
        List<String> bad = new ArrayList<>();
        for (long seed = from; seed < from + count; seed++) {
            Sample correct = draw(of, seed);
            holdBytes(correct);
            Random random = new Random(~seed * 0xD1B54A32D192ED03L);
            Sample sample = random.nextInt(4) == 0 ? correct : Drawn.edit(correct, random);
            Comparison c;
            try {
                c = Comparison.of(sample, ofWarps(of) ? MOST_STATES / 8 : MOST_STATES);
            } catch (Unsupported e) {
                counts.merge(of + " unsupported: " + e.getMessage(), 1, Integer::sum);
                continue;
            } catch (RuntimeException e) {
                throw new IllegalStateException(of + " " + seed + ": " + sample.what(), e);
            }
            counts.merge(of + (sample.isEdited() ? " edited " : " correct ") + c.result(), 1, Integer::sum);
            if (!c.isFine()) {
                bad.add(of + " " + seed + " " + c);
            }
        }
        return bad;
    }

    /** Every order of a kernel that is right leaves what the reference leaves, in its own order and in others. */
    private static void holdBytes(Sample sample) {
        Exploration verdict = Explorer.explore(sample.launch(), Sample.memory(), MOST_STATES);
        assertTrue(!verdict.isWrong(), () -> sample.what() + ": " + verdict.why() + verdict.endings());
        for (int order = 0; order < 3; order++) {
            try (Arena arena = Arena.ofConfined()) {
                List<MemorySegment> memory = Sample.memory().stream().map(bytes -> {
                    MemorySegment m = arena.allocate(bytes.length, 256);
                    m.copyFrom(MemorySegment.ofArray(bytes));
                    return m;
                }).toList();
                Reference.run(sample.launch(), memory, order == 0 ? ReferenceOptions.DEFAULT
                        : ReferenceOptions.DEFAULT.withSeed(order));
                for (int i = 0; i < memory.size() && !verdict.bounded(); i++) {
                    assertArrayEquals(memory.get(i).toArray(ValueLayout.JAVA_BYTE),
                            verdict.orders().getFirst().memory().get(i), sample.what() + ", buffer " + i);
                }
            }
        }
    }

    private static void hold(String of) {
        Map<String, Integer> counts = new TreeMap<>(Map.of(of + " edited MISSED", 0, of + " edited ACCUSED", 0));
        List<String> bad = held(of, counts);
        if (Integer.getInteger("tilewright.oracle") != null) {
            counts.forEach((what, n) -> System.err.println(n + " " + what));
        }
        assertTrue(bad.isEmpty(), () -> bad.size() + " of " + counts + "\n"
                + String.join("\n", bad.subList(0, Math.min(4, bad.size()))));
        assertTrue(counts.keySet().stream().anyMatch(key -> key.endsWith("BOTH_WRONG"))
                && counts.keySet().stream().anyMatch(key -> key.endsWith("BOTH_RIGHT")), counts::toString);
    }

    @Test
    void boxesOfTensors() {
        hold("boxes");
    }

    @Test
    void instructionsOfAWarp() {
        hold("lanes");
    }

    @Test
    void matricesOfAWarp() {
        hold("matrices");
    }

    @Test
    void namedBarriers() {
        hold("named");
    }
}
