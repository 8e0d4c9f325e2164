package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Token;
import dev.tilewright.ptx.Target;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.verify.CaseDevice;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Hand-written programs with what no preset uses: on the GPU and in the reference they leave the same bytes. */
@OnEveryStage
record ProgramGpuTest(Stage stage) {
    private static final int BYTES = 8192;
    private static final Parameter.Pointer SOURCE = new Parameter.Pointer("source", false);
    private static final Parameter.Pointer RESULT = new Parameter.Pointer("result", true);

    @Test
    void cpAsyncOfEverySizeWithAndWithoutSourceSize() {
        SharedRegion.Buffer buffer = new SharedRegion.Buffer("buffer", 96 * 32, 16);
        assertSame(Target.SM_80, program(32, List.of(buffer), body -> {
            int at = 0;
            for (int size : new int[] {4, 8, 16}) {
                Expr place = Builtin.THREAD.times(size).plus(at * 32);
                body.purpose("whole").cpAsync(buffer.at(place), from(place), size);
                at += size;
                Expr cut = Builtin.THREAD.times(size).plus(at * 32);
                body.purpose("cut short, the rest zeros")
                        .cpAsync(buffer.at(cut), from(cut), size).sourceBytes(Builtin.THREAD.modulo(size + 1));
                at += size;
                body.purpose("a group a size").cpAsyncCommit();
            }
            body.purpose("two groups may be pending").cpAsyncWait(2);
            body.purpose("none may").cpAsyncWait(0);
            body.purpose("all have landed").syncThreads();
            body.purpose("copy out")
                    .loop("out", Builtin.THREAD.times(8), 56 * 32, 8 * 32, (each, out) -> {
                Fragment f = each.purpose("read").load("data", ElementType.U16, 4, buffer.at(out));
                each.purpose("write").store(to(out), f);
            });
        }));
    }

    @Test
    void bytesAreExpectedApartFromTheArrival() {
        SharedRegion.Buffer buffer = new SharedRegion.Buffer("buffer", 2048, 128);
        SharedRegion.Barriers full = new SharedRegion.Barriers("full", 2);
        Address.Barrier one = full.at(1);
        assertSame(Target.SM_90, program(64, List.of(full, buffer), body -> {
            body.purpose("set up").when(Builtin.THREAD.isEqualTo(0), setUp -> {
                setUp.purpose("every thread arrives").barrierInit(one, 64);
                setUp.purpose("known to the copy engine").barrierInitFence();
            });
            body.purpose("set up").syncThreads();
            body.purpose("two phases").loop("phase", 2, (each, phase) -> {
                each.purpose("one thread loads in two pieces").when(Builtin.THREAD.isEqualTo(5), loader -> {
                    loader.purpose("the first piece").expectTx(one, 512);
                    loader.purpose("load it")
                            .bulkLoad(buffer.at(0), from(phase.times(2048)), 512, one);
                    loader.purpose("the second piece").expectTx(one, 1536);
                    loader.purpose("load it")
                            .bulkLoad(buffer.at(512), from(phase.times(2048).plus(512)), 1536, one);
                });
                Token token = each.purpose("arrive").arrive(one).token("token");
                each.purpose("landed").waitToken(one, token);
                each.purpose("each thread touches its share")
                        .loop("at", Builtin.THREAD.times(16), 2048, 1024, (copy, at) -> {
                    Fragment f = copy.purpose("read").load("data", ElementType.F64, 2, buffer.at(at));
                    copy.purpose("write it back").store(buffer.at(at), f);
                });
                each.purpose("seen by the copy engine").proxyFence(FenceProxyAsync.Memory.ALL);
                each.purpose("all written").syncThreads();
                each.purpose("one thread stores").when(Builtin.THREAD.isEqualTo(63), storer -> {
                    storer.purpose("store").bulkStore(to(phase.times(2048)), buffer.at(0), 2048);
                    storer.purpose("one group").bulkCommit();
                    storer.purpose("read").bulkWaitRead(0);
                }, others -> others.purpose("of the other scope").proxyFence(FenceProxyAsync.Memory.GLOBAL));
                each.purpose("the buffer is free again").syncThreads();
            });
            body.purpose("one thread stored")
                    .when(Builtin.THREAD.isEqualTo(63), storer -> storer.purpose("all written").bulkWait(0));
        }));
    }

    @Test
    void indexArithmeticIsTheSame() {
        // Each thread writes one byte where the expressions say; 5 is odd, so that no two threads meet.
        assertSame(Target.SM_80, program(128, List.of(), body -> {
            Expr t = Builtin.THREAD;
            Expr wide = body.purpose("64 bits")
                    .let("wide", t.toS64().times(Expr.of(1L << 33)).dividedBy(Expr.of(1L << 31)));
            Expr turned = body.purpose("a permutation")
                    .let("turned", wide.shiftRight(2).times(5).modulo(128).toS32().xor(21));
            Expr low = body.purpose("below zero for some").let("low", t.minus(64));
            Expr place = body.purpose("where").let("place", turned.plus(low.lessThan(0).choose(
                    low.dividedBy(100).minus(low.max(-70).dividedBy(70)).plus(1000), low.modulo(1).plus(2000)))
                    .plus(Builtin.BLOCK.times(4096)).plus(Builtin.GRID));
            Fragment f = body.purpose("read").load("data", ElementType.U8, 1, new Address.Global(SOURCE, t.toS64()));
            body.purpose("not all of them").when(place.bitAnd(6).atLeast(2).and(t.lessThan(120)),
                    b -> b.purpose("write").store(new Address.Global(RESULT, place.toS64()), f));
        }));
    }

    private static Address.Global from(Expr offset) {
        return new Address.Global(SOURCE, offset.toS64());
    }

    private static Address.Global to(Expr offset) {
        return new Address.Global(RESULT, offset.toS64());
    }

    private static TileProgram program(int threads, List<SharedRegion> shared, java.util.function.Consumer<Body> code) {
        return new TileProgram("by_hand", "what no preset uses", threads, List.of(SOURCE, RESULT),
                new SharedLayout(shared), Body.steps(code));
    }

    private void assertSame(Target minimum, TileProgram program) {
        CaseDevice device = stage.device(minimum, 1);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment data = arena.allocate(BYTES, 256);
            SplittableRandom random = new SplittableRandom(4);
            for (long i = 0; i < BYTES; i++) {
                data.set(ValueLayout.JAVA_BYTE, i, (byte) random.nextInt());
            }
            assertEquals(-1, run(Stage.IN_ORDER, program, data, arena).mismatch(run(device, program, data, arena)));
        }
    }

    private static MemorySegment run(CaseDevice device, TileProgram program, MemorySegment data, Arena arena) {
        MemorySegment result = arena.allocate(BYTES, 256).fill((byte) 0xCD);
        device.run(new Launch(program, 1, List.of(new Argument.Buffer(0), new Argument.Buffer(1))),
                List.of(arena.allocate(BYTES, 256).copyFrom(data), result));
        return result;
    }
}
