package dev.tilewright.verify.draw;

import static dev.tilewright.verify.draw.PipelineCase.RESULT;
import static dev.tilewright.verify.draw.PipelineCase.SOURCE;

import dev.tilewright.builder.pipeline.BarrierPipeline;
import dev.tilewright.builder.pipeline.BarrierRing;
import dev.tilewright.builder.pipeline.CollectiveCopy;
import dev.tilewright.builder.pipeline.Filling;
import dev.tilewright.builder.pipeline.ThreadRange;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/** Kernels that copy bytes by a {@link CollectiveCopy} and show what then lies in shared memory. */
public final class CopyKernels {
    private static final int THREADS = 64;
    private static final int ROOM = 1024;

    private CopyKernels() { }

    /**
     * One copy, into a buffer whose bytes are known before.
     *
     * @param to the first byte in the buffer
     * @param from the first byte in the source
     * @param onBarrier whether it completes on an mbarrier, else on groups
     */
    public record Copies(int to, int from, int bytes, ThreadRange threads, int promise, boolean onBarrier) {

        public Launch launch() {
            SharedRegion.Buffer buffer = new SharedRegion.Buffer("buffer", ROOM, 16);
            BarrierRing.Builder b = BarrierRing.stages(1).consumers(ThreadRange.first(THREADS)).releasedBySyncThreads();
            BarrierRing ring = (promise < 4 ? b.filledByCpAsyncAndStores(threads) : b.filledByCpAsync(threads)).build();
            List<SharedRegion> shared = new ArrayList<>(List.of(buffer));
            if (onBarrier) {
                shared.addAll(ring.regions());
            }
            TileProgram program = program("copies", toString(), shared, body -> {
                body.loop("at", Builtin.THREAD, ROOM, THREADS, (each, at) -> each.store(
                        buffer.at(at), each.load("before", ElementType.U8, 1,
                        new Address.Global(SOURCE, at.plus(2 * ROOM)))));
                body.syncThreads();
                CollectiveCopy copy = CollectiveCopy.by(threads).aligned(promise);
                Address.Global source = new Address.Global(SOURCE, from);
                if (onBarrier) {
                    BarrierPipeline pipe = ring.open(body);
                    threads.only(body, some -> {
                        Filling stage = pipe.acquire(some, 0);
                        copy.write(some, buffer.at(to), source, bytes);
                        pipe.commit(some, stage);
                    });
                    pipe.release(body, pipe.await(body, 0));
                    pipe.close(body);
                } else {
                    threads.only(body, some -> copy.write(some, buffer.at(to), source, bytes));
                    body.cpAsyncCommit();
                    body.cpAsyncWait(0);
                    body.syncThreads();
                }
                body.loop("at", Builtin.THREAD, ROOM, THREADS, (each, at) -> each.store(
                        new Address.Global(RESULT, at), each.load("now", ElementType.U8, 1, buffer.at(at))));
            });
            return Launch.of(program, 1, Map.of(SOURCE, new Argument.Buffer(0), RESULT, new Argument.Buffer(1)));
        }

        /** Bytes of which neighbours differ. */
        public byte[] source() {
            return source(1);
        }

        byte[] source(long seed) {
            byte[] source = new byte[3 * ROOM];
            new SplittableRandom(seed).nextBytes(source);
            return source;
        }

        public int resultBytes() {
            return ROOM;
        }

        /** What shared memory holds in the end. */
        public byte[] expected(byte[] source) {
            byte[] expected = new byte[ROOM];
            System.arraycopy(source, 2 * ROOM, expected, 0, ROOM);
            System.arraycopy(source, from, expected, to, bytes);
            return expected;
        }
    }

    /** @param promise what addresses and bytes are multiples of */
    public static Copies random(SplittableRandom random, int promise) {
        return draw(DrawnChoices.random(random.nextLong()), promise);
    }

    static Copies draw(DrawnChoices choices, int promise) {
        int most = choices.flag() ? ROOM - 64 : 40;
        int first = choices.below(THREADS);
        return new Copies(choices.below(64) / promise * promise, choices.below(ROOM) / promise * promise,
                choices.below(most) / promise * promise,
                new ThreadRange(first, choices.between(1, THREADS - first)), promise, choices.flag());
    }

    public static TileProgram program(String name, String purpose, List<SharedRegion> shared, Consumer<Body> code) {
        return program(name, purpose, THREADS, shared, code);
    }

    public static TileProgram program(String name, int threads, List<SharedRegion> shared, Consumer<Body> code) {
        return program(name, name, threads, shared, code);
    }

    private static TileProgram program(String name, String purpose, int threads, List<SharedRegion> shared,
            Consumer<Body> code) {
        return new TileProgram(name, purpose, threads, List.of(SOURCE, RESULT), new SharedLayout(shared),
                Body.steps(code));
    }
}
