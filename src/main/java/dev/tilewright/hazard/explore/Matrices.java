package dev.tilewright.hazard.explore;

import dev.tilewright.hazard.explore.Memory.Agent;
import dev.tilewright.layout.MmaFragment;
import dev.tilewright.program.Operation;
import dev.tilewright.program.Warp;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.mma.MmaSync;
import dev.tilewright.ptx.mma.MmaType;
import dev.tilewright.ptx.mma.MmaTypes;
import dev.tilewright.ptx.mma.Movmatrix;
import dev.tilewright.ptx.warp.Ldmatrix;
import dev.tilewright.ptx.warp.Stmatrix;
import dev.tilewright.reference.tensor.TensorCore;
import dev.tilewright.reference.tensor.TensorProduct;
import java.util.Arrays;
import java.util.List;

/**
 * What a whole warp does with matrices: all its lanes wait for each other, and the last that comes makes the step for
 * all. A row in shared memory is an access of the lane that gives its address, as elsewhere older than the last write
 * where the lane does not know of that. Products are computed by the reference's own arithmetic (PTX ISA, "ldmatrix",
 * "stmatrix", "movmatrix", "mma").
 */
record Matrices(Machine m) {
    private static final int ALL = -1;
    private static final int ROWS = 8;
    private static final int ROW_BYTES = 16;
    private static final int HALF = 16;

    static boolean isOne(PtxInstruction form) {
        return switch (form) {
            case Ldmatrix load -> load.shape() == Ldmatrix.Shape.M8N8_B16;
            case Stmatrix store -> !store.bytes();
            case MmaSync _, Movmatrix _ -> true;
            default -> false;
        };
    }

    private List<ThreadState> warp(ThreadState t) {
        int first = t.number - t.number % m.w.launched.threadsPerBlock % Warp.LANES;
        int end = Math.min(first + Warp.LANES, (m.w.block(t.number) + 1) * m.w.launched.threadsPerBlock);
        if (end - first < Warp.LANES) {
            throw new Ending(issue(t.pc).form().opcode() + " of a warp that is not whole");
        }
        return Arrays.asList(m.w.threads).subList(first, end);
    }

    private Operation.Issue issue(int pc) {
        return (Operation.Issue) ((FlatCode.Do) m.w.launched.code.code.get(pc)).operation();
    }

    /** Whether all others of the warp wait where this thread comes. */
    private boolean isLast(ThreadState t, List<ThreadState> warp) {
        return warp.stream().allMatch(o -> o == t || o.members == ALL && o.pc == t.pc + 1);
    }

    /** Coming is local; so is what the warp then does, unless threads race for the rows. */
    Machine.Next next(ThreadState t, Operation.Issue issue) {
        List<ThreadState> warp = warp(t);
        String at = issue.form() instanceof Ldmatrix ? "src" : issue.form() instanceof Stmatrix ? "dst" : null;
        if (at != null && isLast(t, warp)) {
            for (ThreadState lane : warp.subList(0, rows(issue.form()))) {
                if (!Memory.isLocal(m.w.launched.cells, row(lane, issue, at))) {
                    return Machine.Next.VISIBLE;
                }
            }
        }
        return Machine.Next.LOCAL;
    }

    private static int rows(PtxInstruction form) {
        return ROWS * (form instanceof Ldmatrix load ? load.registers() : ((Stmatrix) form).registers());
    }

    private int[] row(ThreadState lane, Operation.Issue issue, String at) {
        Places places = new Places(m.w, lane);
        Copy.Place place = places.whole(places.of(issue, at), ROW_BYTES);
        if (place.offset() % ROW_BYTES != 0 || place.space() < m.w.launched.cells.buffers || places.isRemote(place)) {
            throw new Ending("a row of a matrix that is misaligned, or not in the block's shared memory");
        }
        return m.w.launched.cells.of(place.space(), place.offset(), ROW_BYTES);
    }

    /** A lane comes, after its step was counted. */
    void come(ThreadState t, Operation.Issue issue) {
        List<ThreadState> warp = warp(t);
        t.members = ALL;
        if (!warp.stream().allMatch(o -> o.members == ALL && o.pc == t.pc)) {
            return;
        }
        warp.forEach(o -> o.members = 0);
        switch (issue.form()) {
            case Ldmatrix load -> load(warp, issue, load);
            case Stmatrix store -> store(warp, issue, store);
            case Movmatrix _ -> move(warp, issue);
            case MmaSync mma -> multiply(warp, issue, mma);
            default -> throw new Unsupported(issue.form().opcode());
        }
    }

    private Agent agent(ThreadState lane) {
        return m.agent(lane);
    }

    private void load(List<ThreadState> warp, Operation.Issue issue, Ldmatrix load) {
        short[][] rows = new short[rows(load)][];
        for (int i = 0; i < rows.length; i++) {
            rows[i] = m.memory.read(agent(warp.get(i)), row(warp.get(i), issue, "src"));
        }
        for (int l = 0; l < Warp.LANES; l++) {
            Several r = registers(warp.get(l), issue, "r");
            for (int matrix = 0; matrix < load.registers(); matrix++) {
                short[] word = new short[4];
                for (int b = 0; b < word.length; b++) {
                    word[b] = rows[rowOf(matrix, l, b / 2, load.transposed())][byteOf(l, b, load.transposed())];
                }
                boolean undefined = undefined(element(word, 0), element(word, 1));
                r.set(matrix, undefined ? 0 : Values.toLong(word), undefined);
            }
        }
    }

    private void store(List<ThreadState> warp, Operation.Issue issue, Stmatrix store) {
        short[][] rows = new short[rows(store)][ROW_BYTES];
        for (int l = 0; l < Warp.LANES; l++) {
            Several r = registers(warp.get(l), issue, "r");
            for (int matrix = 0; matrix < store.registers(); matrix++) {
                short[] word = r.isUndefined(matrix) ? Values.undefined(4) : Values.of(r.get(matrix), 4);
                for (int b = 0; b < word.length; b++) {
                    rows[rowOf(matrix, l, b / 2, store.transposed())][byteOf(l, b, store.transposed())] = word[b];
                }
            }
        }
        for (int i = 0; i < rows.length; i++) {
            m.memory.write(agent(warp.get(i)), row(warp.get(i), issue, "dst"), rows[i]);
        }
    }

    /** The row with one of the two elements that a lane has of a matrix. */
    private static int rowOf(int matrix, int lane, int element, boolean transposed) {
        return ROWS * matrix + (transposed ? lane % 4 * 2 + element : lane / 4);
    }

    /** Where in its row a byte of a lane's register lies. */
    private static int byteOf(int lane, int b, boolean transposed) {
        return b % 2 + 2 * (transposed ? lane / 4 : lane % 4 * 2 + b / 2);
    }

    /** An 8 by 8 matrix of 16-bit elements changes rows for columns. */
    private void move(List<ThreadState> warp, Operation.Issue issue) {
        long[] words = new long[Warp.LANES];
        boolean[] undefined = new boolean[Warp.LANES];
        for (int l = 0; l < words.length; l++) {
            Several a = registers(warp.get(l), issue, "a");
            words[l] = a.get(0);
            undefined[l] = a.isUndefined(0);
        }
        for (int l = 0; l < words.length; l++) {
            long word = 0;
            boolean[] is = new boolean[2];
            for (int e = 0; e < 2; e++) {
                int row = l % 4 * 2 + e;
                int from = row * 4 + l / 4 / 2;
                word |= (words[from] >>> l / 4 % 2 * HALF & 0xFFFF) << e * HALF;
                is[e] = undefined[from];
            }
            registers(warp.get(l), issue, "d").set(0, word, undefined(is));
        }
    }

    private void multiply(List<ThreadState> warp, Operation.Issue issue, MmaSync mma) {
        MmaTypes types = mma.types();
        int rows = mma.shape().m();
        int columns = mma.shape().n();
        int k = mma.shape().k();
        Elements a = elements(warp, issue, "a", MmaFragment.a(rows, k, types.a().bits()));
        Elements b = elements(warp, issue, "b", MmaFragment.b(k, columns, types.b().bits()));
        MmaFragment sums = MmaFragment.accumulator(rows, columns, types.d().bits());
        Elements c = elements(warp, issue, "c", sums);
        TensorProduct.mma(type(types.a()), type(types.b()), type(types.d()), mma.satfinite(), TensorCore.HOPPER)
                .multiplyAdd(a.words, b.words, c.words, rows, columns, k);
        for (int i = 0; i < c.undefined.length; i++) {
            c.undefined[i] |= any(a.undefined, i / columns * k, k) || any(b.undefined, i % columns * k, k);
        }
        for (int l = 0; l < Warp.LANES; l++) {
            Several d = registers(warp.get(l), issue, "d");
            for (int r = 0; r < sums.registers(); r++) {
                long word = 0;
                boolean[] undefined = new boolean[sums.perRegister()];
                for (int e = 0; e < sums.perRegister(); e++) {
                    int at = place(sums, l, r, e);
                    word |= (c.words[at] & -1L >>> Long.SIZE - sums.elementBits()) << e * sums.elementBits();
                    undefined[e] = c.undefined[at];
                }
                d.set(r, word, undefined(undefined));
            }
        }
    }

    private static boolean element(short[] word, int element) {
        return Values.hasUndefined(Memory.part(word, 2 * element, 2));
    }

    /** Whether the elements of a register are undefined: all or none, since it is one value here. */
    private static boolean undefined(boolean... elements) {
        for (boolean element : elements) {
            if (element != elements[0]) {
                throw new Unsupported("a register with one element of bytes that nothing wrote, and one of others");
            }
        }
        return elements[0];
    }

    private static boolean any(boolean[] all, int from, int count) {
        for (int i = from; i < from + count; i++) {
            if (all[i]) {
                return true;
            }
        }
        return false;
    }

    private static ValueType type(MmaType type) {
        return switch (type) {
            case S8 -> ValueType.I8;
            case S32 -> ValueType.I32;
            default -> ValueType.valueOf(type.name());
        };
    }

    /** Of a matrix, B's column by column, and which of them are undefined. */
    private record Elements(long[] words, boolean[] undefined) { }

    private Elements elements(List<ThreadState> warp, Operation.Issue issue, String name, MmaFragment f) {
        Elements all = new Elements(new long[f.rows() * f.columns()], new boolean[f.rows() * f.columns()]);
        for (int l = 0; l < Warp.LANES; l++) {
            Several from = registers(warp.get(l), issue, name);
            for (int r = 0; r < f.registers(); r++) {
                for (int e = 0; e < f.perRegister(); e++) {
                    int at = place(f, l, r, e);
                    all.words[at] = from.get(r) >>> e * f.elementBits();
                    all.undefined[at] = from.isUndefined(r);
                }
            }
        }
        return all;
    }

    private static int place(MmaFragment f, int lane, int register, int element) {
        int row = f.row(lane, register, element);
        int column = f.column(lane, register, element);
        return f.matrix() == MmaFragment.Matrix.B ? column * f.rows() + row : row * f.columns() + column;
    }

    /** Some of a lane's registers. */
    private record Several(ThreadState t, ValueType type, int first) {
        long get(int i) {
            return t.registers[first + i];
        }

        boolean isUndefined(int i) {
            return t.undefinedRegisters.get(first + i);
        }

        void set(int i, long bits, boolean undefined) {
            t.registers[first + i] = undefined ? 0 : type.word(bits);
            t.undefinedRegisters.set(first + i, undefined);
        }
    }

    private Several registers(ThreadState t, Operation.Issue issue, String name) {
        if (!(m.w.launched.input(issue, name) instanceof Input.Registers(Register register, var first))) {
            throw new Unsupported("an operand like " + m.w.launched.input(issue, name).title());
        }
        return new Several(t, register.type(), m.w.launched.code.registers.get(register)
                + new Eval(m.w, t).toInt(first));
    }
}
