package dev.tilewright.verify.draw;

import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import dev.tilewright.reference.Reference;
import dev.tilewright.reference.ReferenceOptions;
import dev.tilewright.reference.fault.ReferenceException;
import dev.tilewright.reference.observe.ExecutionObserver;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Runs a launch in each way that the reference has, and compares what it leaves in all memory, byte for byte, with what
 * the plain run leaves: the fixed order on several CPU threads and on one, watched, and in the orders of seeds.
 */
final class EveryOrder {
    private static final int SEEDS = 3;
    private static final int ALIGNMENT = 256;
    private static final ExecutionObserver WATCHER = (ExecutionObserver) Proxy.newProxyInstance(
            EveryOrder.class.getClassLoader(), new Class<?>[] {ExecutionObserver.class},
            (_, method, _) -> method.getReturnType() == boolean.class ? true : null);

    private EveryOrder() {
    }

    /** What a run left, and how it ended. */
    private record Ending(byte[] memory, String fault) {
    }

    /**
     * What differs from the plain run, a line each.
     *
     * @param seed of the orders, and of how memory is cut
     * @param sliced whether each argument is given a part of one allocation, which may be smaller than what a map
     *         describes
     */
    static List<String> differences(DrawnRun run, long seed, boolean sliced) {
        ReferenceOptions fixed = ReferenceOptions.DEFAULT.withApproximations();
        Map<String, ReferenceOptions> orders = new LinkedHashMap<>();
        orders.put("the fixed order", fixed);
        orders.put("on one CPU thread", fixed.sequential());
        for (long s = seed; s < seed + SEEDS; s++) {
            orders.put("the order of seed " + s, fixed.withSeed(s));
        }
        Ending plain = run(run, seed, sliced, fixed.plain(), null);
        List<String> wrong = new ArrayList<>();
        orders.forEach((name, options) -> compare(name, plain, run(run, seed, sliced, options, null), wrong));
        compare("watched", plain, run(run, seed, sliced, fixed, WATCHER), wrong);
        return wrong;
    }

    private static void compare(String name, Ending plain, Ending other, List<String> wrong) {
        int at = Arrays.mismatch(plain.memory, other.memory);
        if (at >= 0) {
            wrong.add(name + ": byte " + at + " is " + other.memory[at] + ", in the plain run " + plain.memory[at]);
        }
        if (!plain.fault.equals(other.fault)) {
            wrong.add(name + ": " + other.fault + ", in the plain run " + plain.fault);
        }
    }

    private static Ending run(DrawnRun run, long seed, boolean sliced, ReferenceOptions options,
            ExecutionObserver observer) {
        try (Arena arena = Arena.ofShared()) {
            long bytes = run.buffers().stream().mapToLong(b -> Math.ceilDiv(b.length, ALIGNMENT) * (long) ALIGNMENT)
                    .sum();
            MemorySegment all = arena.allocate(Math.max(ALIGNMENT, bytes), 1024);
            List<MemorySegment> memory = new ArrayList<>();
            long at = 0;
            for (byte[] buffer : run.buffers()) {
                memory.add(all.asSlice(at, Math.max(1, buffer.length)));
                MemorySegment.copy(MemorySegment.ofArray(buffer), 0, all, at, buffer.length);
                at += Math.ceilDiv(buffer.length, ALIGNMENT) * (long) ALIGNMENT;
            }
            Launch launch = sliced ? sliced(run.launch(), memory, new SplittableRandom(seed)) : run.launch();
            String fault = "no fault";
            try {
                Reference.run(launch, memory, options, observer);
            } catch (ReferenceException e) {
                fault = e.kind() + " in block " + e.block() + ", step " + e.step();
            }
            return new Ending(all.toArray(ValueLayout.JAVA_BYTE), fault);
        }
    }

    /** Each argument has a segment of its own, as small as may be or larger. @param memory takes the segments */
    private static Launch sliced(Launch launch, List<MemorySegment> memory, SplittableRandom random) {
        List<Argument> arguments = new ArrayList<>();
        for (Argument argument : launch.arguments()) {
            arguments.add(switch (argument) {
                case Argument.Buffer b when b.bytes() != Argument.Buffer.REST -> {
                    long from = cut(memory, b.buffer(), b.offset(), b.bytes(), random);
                    yield new Argument.Buffer(memory.size() - 1, b.offset() - from, b.bytes());
                }
                // Somebody has to have all of the memory that a map describes, and it need not be its own.
                case Argument.Tensor t when t.offset() >= 0 && t.offset() < memory.get(t.buffer()).byteSize() -> {
                    long from = cut(memory, t.buffer(), t.offset(), 1, random);
                    yield new Argument.Tensor(t.map(), memory.size() - 1, t.offset() - from);
                }
                default -> argument;
            });
        }
        return new Launch(launch.program(), launch.grid(), launch.cluster(), arguments);
    }

    private static long cut(List<MemorySegment> memory, int buffer, long offset, long bytes, SplittableRandom random) {
        MemorySegment whole = memory.get(buffer);
        long from = random.nextLong(offset / ALIGNMENT + 1) * ALIGNMENT;
        from = random.nextBoolean() ? offset / ALIGNMENT * ALIGNMENT : from;
        long until = Math.min(whole.byteSize(), Math.ceilDiv(offset + bytes, ALIGNMENT) * ALIGNMENT);
        until += random.nextBoolean() ? random.nextLong(whole.byteSize() - until + 1) : 0;
        memory.add(whole.asSlice(from, until - from));
        return from;
    }
}
