package dev.tilewright.verify.draw;

import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.ClusterSize;
import dev.tilewright.program.Dim3;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.Warp;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.warp.ReduxSync;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * A kernel of drawn warp operations, each by the lanes of a drawn mask and at the same time, in the other branch, by
 * all other lanes; and what it leaves, computed lane by lane as CUDA's guide describes its functions. Thread t leaves 8
 * bytes for each task at {@code 8 (task * threads + t)}, and reads a value at twice that place, and 8 bytes on a lane,
 * a distance or a mask.
 */
public final class WarpPrograms {
    /** Operations of a drawn program, at most. */
    private static final int TASKS = 12;
    public static final Parameter.Pointer SOURCE = new Parameter.Pointer("source", false);
    public static final Parameter.Pointer RESULT = new Parameter.Pointer("result", true);

    private enum Kind { UP, DOWN, XOR, INDEX, ALL, ANY, UNIFORM, BALLOT, MATCH_ANY, MATCH_ALL, REDUX, ELECT, SUM, SCAN }

    /** What some lanes do. */
    private record Part(Kind kind, ValueType type, int width, int mask, ReduxSync.Op op) { }

    private final int threads;
    private final Dim3 block;
    private final DrawnChoices choices;
    private final List<List<Part>> tasks = new ArrayList<>();

    /** What the lanes hand in, and what they get. */
    public record Data(byte[] source, byte[] expected) { }

    public WarpPrograms(long seed, int tasks) {
        this(DrawnChoices.random(seed), tasks);
    }

    /** A program of some operations. */
    static Drawn draw(DrawnChoices choices) {
        int tasks = choices.between(1, TASKS);
        WarpPrograms made = new WarpPrograms(choices, tasks);
        TileProgram program = made.program();
        return new Drawn(tasks + " operations", program, launch -> {
            Data data = made.data(launch.seed());
            return new DrawnRun(new Launch(program, 1, List.of(new Argument.Buffer(0), new Argument.Buffer(1))),
                    List.of(data.source(), new byte[data.expected().length]), Map.of(1, data.expected()));
        });
    }

    WarpPrograms(DrawnChoices choices, int tasks) {
        this.choices = choices;
        this.threads = Warp.LANES * choices.between(1, 3);
        for (int i = 0; i < tasks; i++) {
            draw();
        }
        this.block = BlockShapes.draw(choices, threads);
    }

    // ---- drawing

    private void draw() {
        Kind first = one(Kind.values());
        boolean whole = first == Kind.SUM || first == Kind.SCAN || choices.oneIn(4);
        int mask = whole ? -1 : choices.oneIn(3) ? 0xFFFF << choices.below(17)
                : choices.below(1 << 16) << 16 | choices.below(1 << 16);
        List<Part> parts = new ArrayList<>(List.of(part(first, mask)));
        if (mask != -1) {
            parts.add(part(one(Arrays.copyOf(Kind.values(), Kind.SUM.ordinal())), ~mask));
        }
        tasks.add(parts);
    }

    private Part part(Kind kind, int mask) {
        ReduxSync.Op op = one(ReduxSync.Op.values());
        ValueType type = switch (kind) {
            case UP, DOWN, XOR, INDEX -> one(ValueType.values());
            case ALL, ANY, UNIFORM, BALLOT, ELECT -> ValueType.PRED;
            case MATCH_ANY, MATCH_ALL -> one(ValueType.U32, ValueType.F64, ValueType.U8, ValueType.I16, ValueType.BF16);
            case REDUX -> one(ValueType.U32, ValueType.I32);
            case SUM, SCAN -> ValueType.F32;
        };
        return new Part(kind, type, 1 << choices.below(6), mask, op);
    }

    @SafeVarargs
    private <T> T one(T... of) {
        return of[choices.below(of.length)];
    }

    /** Draws what lanes hand in. */
    public Data data(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        ByteBuffer source = ByteBuffer.allocate(16 * tasks.size() * threads).order(ByteOrder.LITTLE_ENDIAN);
        ByteBuffer expected = ByteBuffer.allocate(8 * tasks.size() * threads).order(ByteOrder.LITTLE_ENDIAN);
        for (int task = 0; task < tasks.size(); task++) {
            for (int warp = 0; warp < threads / Warp.LANES; warp++) {
                for (Part part : tasks.get(task)) {
                    values(random, task * threads + warp * Warp.LANES, part, source, expected);
                }
            }
        }
        return new Data(source.array(), expected.array());
    }

    /** Draws what one warp's lanes hand in, and computes what they get. @param first place of the first lane */
    private static void values(SplittableRandom random, int first, Part part, ByteBuffer source, ByteBuffer expected) {
        long[] words = new long[Warp.LANES];
        int[] operands = new int[Warp.LANES];
        long few = random.nextLong();
        boolean same = random.nextInt(3) == 0;
        for (int lane = 0; lane < Warp.LANES; lane++) {
            long bits = random.nextLong();
            if (part.kind.name().startsWith("MATCH")) {
                bits = same ? few : few + random.nextInt(3);
            } else if (part.type == ValueType.PRED) {
                bits = same ? few & 1 : bits;
            } else if (part.type == ValueType.F32 && part.kind != Kind.SUM && part.kind != Kind.SCAN) {
                bits = random.nextInt();
            } else if (part.type == ValueType.F32) {
                bits = Float.floatToRawIntBits((random.nextFloat() - 0.5f) * (1 << random.nextInt(20)));
            }
            words[lane] = part.type.word(bits);
            operands[lane] = operand(random, part, lane);
        }
        long[] results = results(part, words, operands);
        for (int lane = 0; lane < Warp.LANES; lane++) {
            if ((part.mask >>> lane & 1) != 0) {
                source.putLong(16 * (first + lane), words[lane]);
                source.putInt(16 * (first + lane) + 8, operands[lane]);
                expected.putLong(8 * (first + lane), results[lane]);
            }
        }
    }

    /** A distance, mask or number with which a lane takes from one that takes part. */
    private static int operand(SplittableRandom random, Part part, int lane) {
        for (;;) {
            int operand = random.nextInt(Warp.LANES);
            if ((part.mask >>> from(part, lane, operand) & 1) != 0) {
                return operand;
            }
            if ((part.mask >>> lane & 1) == 0) {
                return 0;
            }
        }
    }

    // ---- the direct computation

    private static int from(Part part, int lane, int operand) {
        int base = lane / part.width * part.width;
        int end = base + part.width - 1;
        int from = switch (part.kind) {
            case UP -> Math.max(lane - operand, -1) < base ? lane : lane - operand;
            case DOWN -> lane + operand;
            case XOR -> lane ^ operand;
            case INDEX -> base + operand % part.width;
            default -> lane;
        };
        return from > end ? lane : from;
    }

    private static long[] results(Part part, long[] words, int[] operands) {
        long[] results = new long[Warp.LANES];
        if (part.kind == Kind.SUM || part.kind == Kind.SCAN) {
            return sums(part, words);
        }
        for (int lane = 0; lane < Warp.LANES; lane++) {
            int trues = 0;
            int equal = 0;
            long reduced = 0;
            boolean first = true;
            for (int other = 0; other < Warp.LANES; other++) {
                if ((part.mask >>> other & 1) != 0) {
                    trues |= words[other] != 0 ? 1 << other : 0;
                    equal |= words[other] == words[lane] ? 1 << other : 0;
                    reduced = first ? words[other] : part.type.word(switch (part.op) {
                        case ADD -> reduced + words[other];
                        case MIN -> Math.min(reduced, words[other]);
                        case MAX -> Math.max(reduced, words[other]);
                        case AND -> reduced & words[other];
                        case OR -> reduced | words[other];
                        case XOR -> reduced ^ words[other];
                    });
                    first = false;
                }
            }
            results[lane] = switch (part.kind) {
                case UP, DOWN, XOR, INDEX -> words[from(part, lane, operands[lane])];
                case ALL -> trues == part.mask ? 1 : 0;
                case ANY -> trues != 0 ? 1 : 0;
                case UNIFORM -> trues == 0 || trues == part.mask ? 1 : 0;
                case BALLOT -> trues & 0xFFFF_FFFFL;
                case MATCH_ANY -> equal & 0xFFFF_FFFFL;
                case MATCH_ALL -> equal == part.mask ? part.mask & 0xFFFF_FFFFL : 0;
                case REDUX -> reduced;
                case ELECT -> 1;
                case SUM, SCAN -> 0;
            };
        }
        return results;
    }

    private static long[] sums(Part part, long[] words) {
        float[] sums = new float[Warp.LANES];
        for (int lane = 0; lane < Warp.LANES; lane++) {
            sums[lane] = Float.intBitsToFloat((int) words[lane]);
        }
        for (int step : part.kind == Kind.SUM ? new int[] {16, 8, 4, 2, 1} : new int[] {1, 2, 4, 8, 16}) {
            float[] before = sums.clone();
            for (int lane = 0; lane < Warp.LANES; lane++) {
                if (part.kind == Kind.SUM) {
                    sums[lane] = before[lane] + before[lane ^ step];
                } else if (lane >= step) {
                    sums[lane] = before[lane - step] + before[lane];
                }
            }
        }
        long[] results = new long[Warp.LANES];
        for (int lane = 0; lane < Warp.LANES; lane++) {
            results[lane] = Float.floatToRawIntBits(sums[lane]) & 0xFFFF_FFFFL;
        }
        return results;
    }

    // ---- the kernel

    public TileProgram program() {
        return new TileProgram("warp_operations", "warp operations by drawn lanes", block, ClusterSize.NONE,
                List.of(SOURCE, RESULT), new SharedLayout(List.of()), Body.steps(body -> {
            for (int i = 0; i < tasks.size(); i++) {
                List<Part> parts = tasks.get(i);
                int task = i;
                if (parts.size() == 1) {
                    write(body, task, parts.getFirst());
                } else {
                    body.purpose("lanes of a mask, and all others").when(Value.u32(parts.getFirst().mask)
                            .shiftRight(Warp.lane().toValue().bitCast(ValueType.U32)).and(Value.u32(1))
                            .isEqualTo(Value.u32(1)).toIndex(),
                            b -> write(b, task, parts.getFirst()), b -> write(b, task, parts.getLast()));
                }
            }
        }));
    }

    private void write(Body body, int task, Part part) {
        Expr at = BlockShapes.number(block).plus(task * threads).toS64();
        Value word = body.load("word", ValueType.U64, new Address.Global(SOURCE, at.times(16)));
        Expr operand = body.load("operand", ValueType.I32, new Address.Global(SOURCE, at.times(16).plus(8))).toIndex();
        Value value = ofWord(part.type, word);
        Warp warp = body.purpose(part.kind + " " + part.type).warp(part.mask);
        Value result = switch (part.kind) {
            case UP -> warp.shuffleUp(value, operand, part.width);
            case DOWN -> warp.shuffleDown(value, operand, part.width);
            case XOR -> warp.shuffleXor(value, operand, part.width);
            case INDEX -> warp.shuffleIndex(value, operand, part.width);
            case ALL -> warp.all(value);
            case ANY -> warp.any(value);
            case UNIFORM -> warp.uniform(value);
            case BALLOT -> warp.ballot(value);
            case MATCH_ANY -> warp.matchAny(value);
            case MATCH_ALL -> warp.matchAll(value);
            case REDUX -> warp.reduce(part.op, value);
            // Any lane may be elected, and one is.
            case ELECT -> warp.ballot(warp.elect()).countOnes();
            case SUM -> warp.butterfly(value, Value::plus);
            case SCAN -> warp.scan(value, Value::plus);
        };
        body.purpose("leave it").store(new Address.Global(RESULT, at.times(8)), toWord(result));
    }

    private static Value ofWord(ValueType type, Value word) {
        if (type == ValueType.PRED) {
            return word.isNotEqualTo(Value.u64(0));
        }
        return word.to(unsigned(type)).bitCast(type);
    }

    private static Value toWord(Value value) {
        if (value.type() == ValueType.PRED) {
            return value.choose(Value.u64(1), Value.u64(0));
        }
        return value.type().isFloat() ? value.bitCast(unsigned(value.type())).to(ValueType.U64)
                : value.to(value.type().isSigned() ? ValueType.I64 : ValueType.U64).bitCast(ValueType.U64);
    }

    private static ValueType unsigned(ValueType type) {
        return switch (type.bits()) {
            case 8 -> ValueType.U8;
            case 16 -> ValueType.U16;
            case 32 -> ValueType.U32;
            default -> ValueType.U64;
        };
    }
}
