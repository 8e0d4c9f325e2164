package dev.tilewright.verify;

import dev.tilewright.layout.MatrixDescriptor;
import dev.tilewright.layout.MatrixMajor;
import dev.tilewright.layout.MmaFragment;
import dev.tilewright.layout.MmaFragment.Matrix;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.program.Address;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Expr;
import dev.tilewright.program.Expr.Builtin;
import dev.tilewright.program.Input;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Operation;
import dev.tilewright.program.Parameter;
import dev.tilewright.program.Register;
import dev.tilewright.program.SharedLayout;
import dev.tilewright.program.SharedRegion;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.ptx.mma.MmaInstruction;
import dev.tilewright.ptx.mma.MmaSync;
import dev.tilewright.ptx.mma.MmaTypes;
import dev.tilewright.ptx.mma.Wgmma;
import dev.tilewright.ptx.mma.WgmmaCommitGroup;
import dev.tilewright.ptx.mma.WgmmaFence;
import dev.tilewright.ptx.mma.WgmmaWaitGroup;
import dev.tilewright.reference.Reference;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The smallest tile program that performs one tensor-core instruction on given matrices, run by the reference executor:
 * every thread loads its registers, {@code wgmma} reads B from shared memory without a swizzle.
 */
final class ProductPrograms {
    private static final Parameter.Pointer IN = new Parameter.Pointer("in", false);
    private static final Parameter.Pointer B = new Parameter.Pointer("b_matrix", false);
    private static final Parameter.Pointer OUT = new Parameter.Pointer("out", true);
    private static final ValueLayout.OfInt WORD = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong WIDE = ValueLayout.JAVA_LONG_UNALIGNED;

    private ProductPrograms() {
    }

    /**
     * Runs one instruction.
     *
     * @param a rows of A, {@code b} columns of B, {@code c} rows of C; a word an element
     * @return rows of D, words of zero above the element's width
     */
    static long[] run(MmaInstruction form, long[] a, long[] b, long[] c) {
        return switch (form) {
            case MmaSync f -> new Run(f.types(), f.shape().m(), f.shape().n(), f.shape().k()).sync(f, a, b, c);
            case Wgmma f -> new Run(f.types(), f.m(), f.n(), f.k()).wgmma(f, a, b, c);
            default -> throw new IllegalArgumentException(form.opcode() + " is no product");
        };
    }

    /** One matrix in registers, and where its words lie: one register of all threads after the other. */
    private record Held(MmaFragment fragment, Register register, int offset) {
        int bytes() {
            return fragment.threads() * fragment.registers() * register.type().bytes();
        }

        private long at(int thread, int index) {
            return offset + (long) (index * fragment.threads() + thread) * register.type().bytes();
        }

        void pack(long[] elements, MemorySegment into) {
            for (int t = 0; t < fragment.threads(); t++) {
                for (int r = 0; r < fragment.registers(); r++) {
                    long word = 0;
                    for (int e = fragment.perRegister() - 1; e >= 0; e--) {
                        int row = fragment.row(t, r, e);
                        int column = fragment.column(t, r, e);
                        int from = fragment.matrix() == Matrix.B ? column * fragment.rows() + row
                                : row * fragment.columns() + column;
                        word = fragment.elementBits() == 64 ? elements[from]
                                : word << fragment.elementBits() | elements[from] & (1L << fragment.elementBits()) - 1;
                    }
                    if (register.type() == ValueType.F64) {
                        into.set(WIDE, at(t, r), word);
                    } else {
                        into.set(WORD, at(t, r), (int) word);
                    }
                }
            }
        }

        long[] unpack(MemorySegment from) {
            long[] elements = new long[fragment.rows() * fragment.columns()];
            int bits = fragment.elementBits();
            for (int i = 0; i < elements.length; i++) {
                int row = i / fragment.columns();
                int column = i % fragment.columns();
                long at = at(fragment.thread(row, column), fragment.register(row, column)) - offset;
                elements[i] = bits == 64 ? from.get(WIDE, at)
                        : from.get(WORD, at) >>> fragment.element(row, column) * bits & (1L << bits) - 1;
            }
            return elements;
        }

        /** Names the registers and loads them. */
        void load(Body body) {
            body.purpose(register.name() + " of every thread").add(
                    new Operation.Declare(register, Optional.empty(), false));
            for (int r = 0; r < register.count(); r++) {
                body.purpose("load " + register.name()).load(register, Expr.of(r), 1, place(IN, offset, r));
            }
        }

        void store(Body body) {
            for (int r = 0; r < register.count(); r++) {
                body.purpose("store the sums").store(place(OUT, 0, r), register.at(r));
            }
        }

        private Address.Global place(Parameter.Pointer pointer, int from, int index) {
            int size = register.type().bytes();
            return new Address.Global(pointer,
                    Builtin.THREAD.times(size).plus(from + index * fragment.threads() * size).toS64());
        }
    }

    private static final class Run {
        private final MmaTypes types;
        private final int m;
        private final int n;
        private final int k;
        private final List<Held> held = new ArrayList<>();
        private int bytes;

        Run(MmaTypes types, int m, int n, int k) {
            this.types = types;
            this.m = m;
            this.n = n;
            this.k = k;
        }

        private Held hold(String name, MmaFragment fragment, boolean sums) {
            ValueType type = switch (types.d()) {
                case F64 -> ValueType.F64;
                case F32 -> sums ? ValueType.F32 : ValueType.U32;
                case S32 -> sums ? ValueType.I32 : ValueType.U32;
                default -> ValueType.U32;
            };
            Held made = new Held(fragment, new Register(name, type, fragment.registers(), held.size() + 1), bytes);
            bytes += made.bytes();
            held.add(made);
            return made;
        }

        long[] sync(MmaSync form, long[] a, long[] b, long[] c) {
            Held left = hold("a", MmaFragment.a(m, k, types.a().bits()), false);
            Held right = hold("b", MmaFragment.b(k, n, types.b().bits()), false);
            Held sums = hold("c", MmaFragment.accumulator(m, n, types.d().bits()), true);
            Held result = hold("d", sums.fragment(), true);
            MemorySegment in = MemorySegment.ofArray(new byte[bytes]);
            left.pack(a, in);
            right.pack(b, in);
            sums.pack(c, in);
            return run(32, List.of(), in, MemorySegment.ofArray(new byte[8]), result, body -> {
                held.forEach(h -> h.load(body));
                body.purpose("multiply and add").issue(form, Input.of(result.register()), Input.of(left.register()),
                        Input.of(right.register()), Input.of(sums.register()));
                result.store(body);
            });
        }

        long[] wgmma(Wgmma form, long[] a, long[] b, long[] c) {
            int size = types.b().bits() / 8;
            int matrix = n * k * size;
            Held left = hold("a", MmaFragment.a(m, k, types.a().bits()), false);
            Held sums = hold("d", MmaFragment.accumulator(m, n, types.d().bits()), true);
            MemorySegment in = MemorySegment.ofArray(new byte[bytes]);
            left.pack(a, in);
            sums.pack(c, in);
            MatrixDescriptor descriptor = new MatrixDescriptor(0, 128, 256, 0, Swizzle.NONE);
            byte[] right = new byte[matrix];
            for (int column = 0; column < n; column++) {
                for (int row = 0; row < k; row++) {
                    for (int i = 0; i < size; i++) {
                        right[descriptor.addressOf(column, row, size, MatrixMajor.K) + i] =
                                (byte) (b[column * k + row] >>> 8 * i);
                    }
                }
            }
            SharedRegion.Buffer tile = new SharedRegion.Buffer("tile", matrix, 128);
            return run(128, List.of(tile), in, MemorySegment.ofArray(right), sums, body -> {
                held.forEach(h -> h.load(body));
                body.purpose("bring B").loop("at", Builtin.THREAD.times(4), Expr.of(matrix), Expr.of(512), (each, at) ->
                        each.store(tile.at(at), each.load("word", ValueType.U32, new Address.Global(B, at.toS64()))));
                body.purpose("seen by the tensor cores").proxyFence(FenceProxyAsync.Memory.ALL);
                body.purpose("B is there").syncThreads();
                body.purpose("the registers were written").issue(new WgmmaFence());
                Expr at = tile.address().bitAnd(0x3FFFF).dividedBy(16).toS64();
                body.purpose("multiply and add").issue(form, Input.of(sums.register()), Input.of(left.register()),
                        Input.of(Expr.of(descriptor.encode()).plus(at)), Input.of(1));
                body.purpose("one group").issue(new WgmmaCommitGroup());
                body.purpose("the sums are there").issue(new WgmmaWaitGroup(0));
                sums.store(body);
            });
        }

        private static long[] run(int threads, List<SharedRegion> shared, MemorySegment in, MemorySegment b,
                Held result,
                Consumer<Body> steps) {
            TileProgram program = new TileProgram("replay_product", "one tensor-core instruction", threads,
                    List.of(IN, B, OUT), new SharedLayout(shared), Body.steps(steps));
            MemorySegment out = MemorySegment.ofArray(new byte[result.bytes()]);
            Reference.run(Launch.of(program, 1, Map.of(IN, new Argument.Buffer(0), B, new Argument.Buffer(1), OUT,
                    new Argument.Buffer(2))), List.of(in, b, out));
            return result.unpack(out);
        }
    }
}
