package dev.tilewright.reference.op;

import dev.tilewright.layout.MmaFragment.Matrix;
import dev.tilewright.layout.MmaFragment;
import dev.tilewright.program.expression.Register;
import dev.tilewright.reference.code.IndexCode;
import dev.tilewright.reference.observe.ExecutionObserver.RegisterRange;
import dev.tilewright.reference.observe.ExecutionObserver.UnwrittenRead;
import dev.tilewright.reference.state.ThreadState;

/**
 * A matrix in the registers of a warp or a warpgroup, as a tensor-core instruction takes it: which of the registers'
 * bits are which element ({@link MmaFragment}). Its elements are given out one behind the other, those of a row; of B
 * those of a column.
 *
 * @param register that holds it, of which it may be a part
 * @param base the slot of the register's first element
 * @param slots where the matrix's first one lies, for each thread
 * @param places for each thread, register and element in it, one behind the other: the element's number
 */
public record RegisterMatrix(MmaFragment fragment, Register register, int base, IndexCode slots, int[] places)
        implements MatrixOperand {

    public RegisterMatrix(MmaFragment fragment, Register register, int base, IndexCode slots) {
        this(fragment, register, base, slots, places(fragment));
    }

    /** Which of the register's elements a thread has of it. */
    RegisterRange range(ThreadState t) {
        return new RegisterRange(register, (int) slots.value(t) - base, fragment.registers());
    }

    private static int[] places(MmaFragment f) {
        int[] places = new int[f.rows() * f.columns()];
        int at = 0;
        for (int thread = 0; thread < f.threads(); thread++) {
            for (int register = 0; register < f.registers(); register++) {
                for (int element = 0; element < f.perRegister(); element++) {
                    int row = f.row(thread, register, element);
                    int column = f.column(thread, register, element);
                    places[at++] = f.matrix() == Matrix.B ? column * f.rows() + row : row * f.columns() + column;
                }
            }
        }
        return places;
    }

    @Override
    public long[] elements(ThreadState[] threads, OpAccess access) {
        long[] elements = new long[places.length];
        int registers = fragment.registers();
        int each = fragment.perRegister();
        int bits = fragment.elementBits();
        int at = 0;
        for (ThreadState t : threads) {
            int slot = (int) slots.value(t);
            for (int r = 0; r < registers; r++) {
                long word = t.slots[slot + r];
                for (int e = 0; e < each; e++) {
                    elements[places[at++]] = word >>> e * bits;
                }
            }
        }
        return elements;
    }

    /** Puts elements into the registers. */
    void put(ThreadState[] threads, long[] elements) {
        int registers = fragment.registers();
        int each = fragment.perRegister();
        int bits = fragment.elementBits();
        long mask = -1L >>> Long.SIZE - bits;
        int at = 0;
        for (ThreadState t : threads) {
            int slot = (int) slots.value(t);
            for (int r = 0; r < registers; r++) {
                long word = 0;
                for (int e = 0; e < each; e++) {
                    word |= (elements[places[at++]] & mask) << e * bits;
                }
                t.slots[slot + r] = register.type().word(word);
            }
        }
    }

    @Override
    public UnwrittenRead[] origins(ThreadState[] threads, int step) {
        UnwrittenRead[] origins = null;
        int registers = fragment.registers();
        int each = fragment.perRegister();
        int bits = fragment.elementBits();
        long mask = -1L >>> Long.SIZE - bits;
        for (int i = 0; i < threads.length; i++) {
            ThreadState t = threads[i];
            if (t.undefined.none()) {
                continue;
            }
            int slot = (int) slots.value(t);
            for (int r = 0; r < registers; r++) {
                long undefined = t.undefined.bits(slot + r);
                for (int e = 0; undefined != 0 && e < each; e++) {
                    if ((undefined >>> e * bits & mask) != 0) {
                        origins = origins == null ? new UnwrittenRead[places.length] : origins;
                        origins[places[(i * registers + r) * each + e]] = t.undefined.origin(slot + r);
                    }
                }
            }
        }
        return origins;
    }

    /** Says of the registers which of their elements come from such reads. @param origins null where all are defined */
    void putOrigins(ThreadState[] threads, UnwrittenRead[] origins) {
        int registers = fragment.registers();
        int each = fragment.perRegister();
        int bits = fragment.elementBits();
        long mask = -1L >>> Long.SIZE - bits;
        for (int i = 0; i < threads.length; i++) {
            ThreadState t = threads[i];
            if (origins == null && t.undefined.none()) {
                continue;
            }
            int slot = (int) slots.value(t);
            for (int r = 0; r < registers; r++) {
                long undefined = 0;
                UnwrittenRead origin = null;
                for (int e = 0; origins != null && e < each; e++) {
                    UnwrittenRead of = origins[places[(i * registers + r) * each + e]];
                    if (of != null) {
                        undefined |= mask << e * bits;
                        origin = of;
                    }
                }
                t.undefined.set(slot + r, undefined, origin);
            }
        }
    }
}
