package dev.tilewright.verify.draw;

import dev.tilewright.layout.MmaFragment;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.program.Body;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.ptx.mma.MmaInstruction;
import dev.tilewright.ptx.mma.MmaTypes;
import dev.tilewright.ptx.mma.Wgmma;
import dev.tilewright.reference.tensor.TrialOperands;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * Kernels that perform tensor-core instructions many times over on a pool of random words: registers are loaded from
 * the pool, tiles in shared memory are filled from it, and all results are stored, the n-th instruction's in its own
 * place.
 */
public final class ProductKernels {
    /** Words of the pool, which is read from a place that depends on the turn, round its end. */
    public static final int POOL = 1 << 16;
    /** Words of shared memory that are operands. */
    private static final int TILE_BYTES = 48 * 1024;
    private static final int TURN = 1021;

    public static final Parameter.Pointer IN = new Parameter.Pointer("pool", false);
    public static final Parameter.Pointer OUT = new Parameter.Pointer("sums", true);

    private ProductKernels() { }

    /** Bytes of results. @param turns how often each instruction is performed by one block, {@code blocks} of them */
    public static long bytes(List<? extends MmaInstruction> forms, int turns, int blocks) {
        long bytes = 0;
        for (MmaInstruction form : forms) {
            bytes += perTurn(form) * turns * blocks;
        }
        return bytes;
    }

    private static long perTurn(MmaInstruction form) {
        return TrialOperands.bytes(TrialOperands.operand(form, "d"), form);
    }

    /** mma.sync and movmatrix, one after the other, by blocks of one warp. */
    public static TileProgram ofWarps(List<? extends MmaInstruction> forms, int turns, int blocks) {
        return new TileProgram("products", "tensor-core products in registers", 32, List.of(IN, OUT),
                new SharedLayout(List.of()), Body.steps(body -> {
                    long start = 0;
                    for (MmaInstruction form : forms) {
                        long first = start;
                        body.purpose("again and again").loop("turn", turns, (each, turn) -> {
                            Input[] inputs = form.inputs().stream()
                                    .map(o -> Input.of(loaded(each, o, turn))).toArray(Input[]::new);
                            each.purpose("multiply and add").issue(form, inputs);
                            store(each, form, (Input.Registers) inputs[0], turn, turns, first);
                        });
                        start += perTurn(form) * turns * blocks;
                    }
                }));
    }

    /** New registers with words of the pool. */
    private static Register loaded(Body body, Operand o, Expr turn) {
        Register register = body.purpose("registers of " + o.name()).registers(o.name(), Register.typeOf(o), o.count());
        int vector = vector(o);
        for (int r = 0; r < o.count(); r += vector) {
            Expr at = turn.plus(Builtin.BLOCK.times(37)).times(TURN).plus(Builtin.THREAD)
                    .plus((o.name().charAt(0) * 517 + r) * 128).times(4).bitAnd(POOL - 4);
            body.purpose("from the pool").load(register, r, vector, new Address.Global(IN, at.times(4).toS64()));
        }
        return register;
    }

    private static void store(Body body, MmaInstruction form, Input.Registers d, Expr turn, int turns, long first) {
        int size = d.register().type().bytes();
        int count = d.register().count();
        int vector = vector(TrialOperands.operand(form, "d"));
        for (int r = 0; r < count; r += vector) {
            Expr place = Builtin.BLOCK.times(turns).plus(turn).toS64().times(Expr.of((long) count)).plus(r)
                    .times(Expr.of((long) TrialOperands.threads(form))).plus(Builtin.THREAD.times(vector).toS64())
                    .times(Expr.of((long) size)).plus(Expr.of(first));
            Value[] values = new Value[vector];
            for (int i = 0; i < vector; i++) {
                values[i] = d.register().at(r + i);
            }
            body.purpose("store the sums").store(new Address.Global(OUT, place), values);
        }
    }

    /** Registers that are loaded or stored at once: 16 bytes of them, or as many as there are. */
    private static int vector(Operand o) {
        int most = 16 / Register.typeOf(o).bytes();
        return Math.min(most, Integer.lowestOneBit(o.count()));
    }

    /**
     * wgmma, one after the other, by blocks of one warpgroup. Each has a swizzle, a tile that is larger than what it
     * reads and a start within it, as a seed says.
     */
    public static TileProgram ofWarpgroups(List<? extends Wgmma> forms, int turns, int blocks, long seed) {
        SharedRegion.Buffer tiles = new SharedRegion.Buffer("tiles", TILE_BYTES, 1024);
        return new TileProgram("products", "tensor-core products with operands in shared memory", 128, List.of(IN, OUT),
                new SharedLayout(List.of(tiles)), Body.steps(body -> {
                    body.purpose("fill the tiles").loop("at", Builtin.THREAD.times(16), TILE_BYTES, 128 * 16,
                            (each, at) -> {
                                Register words = each.purpose("16 bytes").registers("words", ValueType.U32, 4);
                                each.purpose("from the pool").load(words, new Address.Global(IN, at.toS64()));
                                each.purpose("into the tiles").store(tiles.at(at), words.at(0), words.at(1),
                                        words.at(2), words.at(3));
                            });
                    body.purpose("seen by the tensor cores").proxyFence(FenceProxyAsync.Memory.ALL);
                    body.purpose("filled").syncThreads();
                    SplittableRandom random = new SplittableRandom(seed);
                    long start = 0;
                    for (Wgmma form : forms) {
                        long first = start;
                        long a = form.registersA() ? 0 : descriptor(random, form, true);
                        long b = descriptor(random, form, false);
                        body.purpose("again and again").loop("turn", turns, (each, turn) -> turn(each, form, turn,
                                tiles, a, b,
                                d -> store(each, form, d, turn, turns, first)));
                        start += perTurn(form) * turns * blocks;
                    }
                }));
    }

    private static void turn(Body body, Wgmma form, Expr turn, SharedRegion.Buffer tiles, long a, long b,
            Consumer<Input.Registers> store) {
        Register d = loaded(body, TrialOperands.operand(form, "d"), turn);
        Optional<Register> left = form.registersA() ? Optional.of(loaded(body, TrialOperands.operand(form, "a"), turn))
                : Optional.empty();
        // Another 16 rows of 128 bytes further on each turn.
        Expr at = tiles.address().bitAnd(0x3FFFF).plus(turn.modulo(4).times(2048)).dividedBy(16).toS64();
        body.purpose("the registers were written").wgmmaFence();
        body.purpose("multiply and add").issue(form, Input.of(d), left.map(Input::of)
                .orElseGet(() -> Input.of(Expr.of(a).plus(at))), Input.of(Expr.of(b).plus(at)),
                Input.of(turn.modulo(5).atLeast(1).choose(1, 0)));
        body.purpose("commit them as one group").wgmmaCommit();
        body.purpose("the sums are there").wgmmaWait(0);
        store.accept((Input.Registers) Input.of(d));
    }

    private static long descriptor(SplittableRandom random, Wgmma form, boolean ofA) {
        Swizzle[] swizzles = {Swizzle.NONE, Swizzle.B32, Swizzle.B64, Swizzle.B128};
        return TrialOperands.descriptor(form, ofA, swizzles[random.nextInt(swizzles.length)], random::nextInt);
    }

    /** What is in the pool: words whose halves and bytes are numbers of a type, of several sorts. */
    public static int[] pool(MmaTypes types, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int[] words = new int[POOL];
        for (int i = 0; i < POOL; i++) {
            int sort = i >> 9 & TrialOperands.SORTS - 1;
            if (types == MmaTypes.F64_F64_F64) {
                long wide = TrialOperands.wide(random, sort);
                words[i] = (int) wide;
                words[++i] = (int) (wide >>> 32);
            } else {
                words[i] = TrialOperands.word(types.a(), random, sort);
            }
        }
        return words;
    }

    /** Elements of the accumulators, for messages. */
    public static String place(MmaInstruction form, long word) {
        Operand d = TrialOperands.operand(form, "d");
        long threads = TrialOperands.threads(form);
        int vector = vector(d);
        long thread = word / vector % threads;
        long register = word / vector / threads * vector % d.count() + word % vector;
        int m = form instanceof Wgmma w ? w.m() : 16;
        return "instruction " + word / threads / d.count() + ", thread " + thread + ", register " + register + " of "
                + d.count() + (form instanceof Wgmma w ? ", row " + MmaFragment.accumulator(m, w.n(),
                w.types().d().bits())
                        .row((int) thread, (int) register, 0) : "");
    }
}
