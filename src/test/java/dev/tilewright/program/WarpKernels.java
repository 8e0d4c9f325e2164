package dev.tilewright.program;

import dev.tilewright.builder.collective.BlockReduction;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Token;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.warp.ReduxSync;
import java.util.List;
import java.util.function.Consumer;

/** Kernels whose warps meet in parts, on words {@code source[i]}, each with what it leaves in {@code result}. */
public final class WarpKernels {
    public static final Parameter.Pointer SOURCE = new Parameter.Pointer("source", false);
    public static final Parameter.Pointer RESULT = new Parameter.Pointer("result", true);
    private static final SharedRegion.Buffer BUFFER = new SharedRegion.Buffer("buffer", 4096, 16);
    private static final SharedRegion.Barriers FULL = new SharedRegion.Barriers("full", 1);
    private static final Expr T = Builtin.THREAD;

    private WarpKernels() {
    }

    /** A kernel, the words it reads and those it leaves in one block, by their number. */
    public record Case(TileProgram program, int words, java.util.function.IntUnaryOperator expected) {
        @Override
        public String toString() {
            return program.name();
        }
    }

    /** The word that is read at a place. */
    public static int source(int i) {
        return i * 0x9E37_79B1;
    }

    public static List<Case> all() {
        return List.of(ring(true), ring(false), arrivals(), divergent(), counts(), testedWaits(), roles(),
                blockSums(false), blockSums(true));
    }

    private static TileProgram program(String name, int threads, Consumer<Body> code) {
        return new TileProgram(name, "warps that meet in parts", threads, List.of(SOURCE, RESULT),
                new SharedLayout(List.of(BUFFER, FULL)), Body.steps(code));
    }

    private static Address.Global from(Expr word) {
        return new Address.Global(SOURCE, word.times(4).toS64());
    }

    private static Address.Global to(Expr word) {
        return new Address.Global(RESULT, word.times(4).toS64());
    }

    private static Address.Shared buffer(Expr word) {
        return BUFFER.at(word.times(4));
    }

    /**
     * Two warps fill stages, two others take them: each stage has a barrier for "full" and one for "empty", at which
     * one side arrives and the other waits.
     *
     * @param arrive whether a side that need not wait only arrives, and there are two stages; else all wait at one
     */
    public static Case ring(boolean arrive) {
        int turns = 6;
        int stages = arrive ? 2 : 1;
        TileProgram program = program(arrive ? "named_ring" : "named_steps", 128, body -> {
            Expr lane = T.modulo(64);
            body.purpose("two roles").when(T.lessThan(64), fill -> fill.loop("turn", turns, (b, turn) -> {
                Expr stage = turn.modulo(stages);
                b.purpose("it was taken").when(turn.atLeast(stages), wait -> wait.namedBarrier(stage.plus(3), 128)
                        .sync());
                Value word = b.load("word", ValueType.U32, from(turn.times(64).plus(lane)));
                b.store(buffer(stage.times(64).plus(lane)), word);
                NamedBarrier full = b.purpose("full").namedBarrier(stage.plus(1), 128);
                if (arrive) {
                    full.arrive();
                } else {
                    full.sync();
                }
            }), take -> take.loop("turn", turns, (b, turn) -> {
                Expr stage = turn.modulo(stages);
                b.purpose("it is full").namedBarrier(stage.plus(1), 128).sync();
                Value word = b.load("word", ValueType.U32, buffer(stage.times(64).plus(Expr.of(63).minus(lane))));
                b.store(to(turn.times(64).plus(lane)), word);
                b.purpose("taken").when(turn.lessThan(turns - stages), more -> {
                    NamedBarrier empty = more.namedBarrier(stage.plus(3), 128);
                    if (arrive) {
                        empty.arrive();
                    } else {
                        empty.sync();
                    }
                });
            }));
        });
        return new Case(program, turns * 64, i -> source(i / 64 * 64 + 63 - i % 64));
    }

    /** Each of three warps arrives for the fourth, which waits. */
    public static Case arrivals() {
        TileProgram program = program("named_arrivals", 128, body -> {
            body.store(buffer(T), body.load("word", ValueType.U32, from(T)));
            body.purpose("the last warp").when(T.atLeast(96), last -> {
                last.purpose("all have filled").namedBarrier(7, 128).sync();
                for (int w = 0; w < 4; w++) {
                    Expr at = T.modulo(32).plus(32 * w);
                    last.store(to(at), last.load("word", ValueType.U32, buffer(Expr.of(127).minus(at))));
                }
            }, others -> others.purpose("filled").namedBarrier(7, 128).arrive());
        });
        return new Case(program, 128, i -> source(127 - i));
    }

    /** Halves of a warp exchange words by themselves, each with a mask of its own; then all do. */
    public static Case divergent() {
        TileProgram program = program("divergent_halves", 64, body -> {
            Expr half = T.bitAnd(15);
            body.store(buffer(T), body.load("word", ValueType.U32, from(T)));
            body.purpose("halves").when(Warp.lane().lessThan(16), low -> {
                low.purpose("of the low half").syncWarp(0xFFFF);
                low.store(buffer(T.plus(64)),
                        low.load("word", ValueType.U32, buffer(T.minus(half).plus(15).minus(half))));
                low.purpose("all, from one place").syncWarp();
            }, high -> {
                high.purpose("of the high half").syncWarp(0xFFFF_0000);
                high.store(buffer(T.plus(64)), high.load("word", ValueType.U32,
                        buffer(T.minus(half).plus(half.xor(1)))));
                high.purpose("all, from another").syncWarp();
            });
            Value other = body.load("word", ValueType.U32, buffer(T.xor(31).plus(64)));
            body.store(to(T), other);
        });
        return new Case(program, 64, i -> {
            int t = i ^ 31;
            int half = t & 15;
            return source(t % 32 < 16 ? t - half + 15 - half : t - half + (half ^ 1));
        });
    }

    /** A barrier for part of the block counts conditions; one instruction reduces a warp. */
    public static Case counts() {
        TileProgram program = program("named_counts", 96, body -> {
            Value word = body.load("word", ValueType.I32, from(T));
            body.purpose("two warps").when(T.lessThan(64), two -> {
                NamedBarrier barrier = two.namedBarrier(2, 64);
                Value negative = word.lessThan(Value.i32(0));
                Value count = two.let("count", barrier.count(negative));
                Value all = two.let("all", barrier.all(negative));
                Value any = two.let("any", barrier.any(negative));
                two.store(to(T), count.plus(all.choose(Value.i32(1000), Value.i32(0)))
                        .plus(any.choose(Value.i32(2000), Value.i32(0))));
            }, one -> one.store(to(T), one.warp().reduce(ReduxSync.Op.MAX, word)));
        });
        int negatives = 0;
        int max = Integer.MIN_VALUE;
        for (int i = 0; i < 96; i++) {
            negatives += i < 64 && source(i) < 0 ? 1 : 0;
            max = i >= 64 ? Math.max(max, source(i)) : max;
        }
        int count = negatives;
        int most = max;
        return new Case(program, 96, i -> i < 64 ? count + (count == 64 ? 1000 : 0) + (count > 0 ? 2000 : 0) : most);
    }

    /** Every thread waits for an mbarrier by testing it: what GPUs below sm_90 can. */
    public static Case testedWaits() {
        Address.Barrier full = FULL.at(0);
        TileProgram program = program("tested_waits", 64, body -> {
            body.purpose("set up").when(T.isEqualTo(0), b -> b.barrierInit(full, 64));
            body.syncThreads();
            body.loop("turn", 3, (b, turn) -> {
                b.store(buffer(T), b.load("word", ValueType.U32, from(turn.times(64).plus(T))));
                Token token = b.arrive(full).token("token");
                b.purpose("all have stored").when(turn.isEqualTo(1), w -> w.waitToken(full, token).byTesting(),
                        w -> w.waitParity(full, turn.modulo(2)).byTesting());
                b.store(to(turn.times(64).plus(T)), b.load("taken", ValueType.U32, buffer(Expr.of(63).minus(T))));
                b.purpose("all have read").syncThreads();
            });
        });
        return new Case(program, 192, i -> source(i / 64 * 64 + 63 - i % 64));
    }

    /** One warpgroup gives registers back and another takes them. */
    public static Case roles() {
        TileProgram program = program("register_roles", 256, body -> {
            body.purpose("two warpgroups").when(T.lessThan(128), b -> {
                b.decreaseMaxRegisters(40);
                b.store(to(T), b.load("word", ValueType.U32, from(T)));
            }, b -> {
                b.increaseMaxRegisters(200);
                b.store(to(T), b.load("word", ValueType.U32, from(T.xor(1))));
            });
        });
        return new Case(program, 256, i -> source(i < 128 ? i : i ^ 1));
    }

    /** The sum of a block's values, or of those up to each thread, as floats in one order. */
    public static Case blockSums(boolean scan) {
        int threads = 160;
        BlockReduction sums = new BlockReduction("sums", ValueType.F32, threads);
        TileProgram program = new TileProgram(scan ? "block_scan" : "block_sum", "a block adds up", threads,
                List.of(SOURCE, RESULT), new SharedLayout(List.of(sums.scratch())), Body.steps(body ->
                body.loop("turn", 2, (b, turn) -> {
                    Expr at = turn.times(threads).plus(T);
                    Value value = b.load("word", ValueType.I32, from(at)).to(ValueType.F32);
                    b.store(to(at), scan ? sums.scan(b, value, Value::plus) : sums.reduce(b, value, Value::plus));
                })));
        return new Case(program, 2 * threads, i -> Float.floatToRawIntBits(
                sum(i / threads * threads, threads, scan ? i % threads : -1)));
    }

    /** @param upTo the last that is added of a scan; -1 for the sum of all */
    private static float sum(int first, int threads, int upTo) {
        float[] own = new float[threads];
        for (int t = 0; t < threads; t++) {
            own[t] = source(first + t);
        }
        for (int step : upTo < 0 ? new int[] {16, 8, 4, 2, 1} : new int[] {1, 2, 4, 8, 16}) {
            float[] before = own.clone();
            for (int t = 0; t < threads; t++) {
                if (upTo < 0) {
                    own[t] = before[t] + before[t ^ step];
                } else if (t % 32 >= step) {
                    own[t] = before[t - step] + before[t];
                }
            }
        }
        int last = upTo < 0 ? threads - 1 : upTo;
        if (last < 32) {
            return own[last];
        }
        float sum = upTo < 0 ? own[0] : own[31];
        for (int w = 1; w < last / 32; w++) {
            sum += own[32 * w + (upTo < 0 ? 0 : 31)];
        }
        return sum + own[last];
    }

    /**
     * Adds 1 to every word, and may begin before the launch in front has ended: it waits for that before it reads.
     *
     * @param waits whether it does
     */
    public static TileProgram dependent(boolean waits) {
        return program("dependent", 128, body -> {
            body.purpose("the next one may begin").launchDependents();
            if (waits) {
                body.purpose("the one before has ended").waitForPriorGrid();
            }
            Expr at = Builtin.BLOCK.times(128).plus(T);
            Value word = body.load("word", ValueType.U32, to(at));
            body.purpose("the others see it late").issue(new dev.tilewright.ptx.warp.Nanosleep(), Input.of(20_000));
            body.store(to(at), word.plus(Value.u32(1)));
        });
    }
}
