package dev.tilewright.program;

import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.memory.Atom;
import dev.tilewright.ptx.memory.Red;
import dev.tilewright.ptx.memory.ScopedAccess;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Options of an atomic update: {@code red} where the old value is not asked for and it acquires nothing, else
 * {@code atom}. Relaxed, and atomic for the threads of the GPU, without these.
 */
public final class AtomicStep extends IssuedStep<ScopedAccess> {
    private static final String WHAT = "an atomic update is of";

    private final AtomicOp op;
    private final ValueType type;
    private final Space space;
    private Scope scope = Scope.GPU;
    private Atom.Order order = Atom.Order.RELAXED;
    private boolean returns;

    AtomicStep(ThreadSteps body, AtomicOp op, Address to, ValueType type, Map<String, Input> inputs) {
        super(body, form(op, dataType(op, type), space(WHAT, to), Scope.GPU, Atom.Order.RELAXED, false), inputs);
        this.op = op;
        this.type = type;
        this.space = space(WHAT, to);
    }

    /** The operands, of one type. */
    static Map<String, Input> inputs(Input to, Value value) {
        Map<String, Input> inputs = new LinkedHashMap<>();
        inputs.put("dst", to);
        inputs.put("value", Input.of(value));
        return inputs;
    }

    /** The space of an address. @param what needs one of memory for values, in words */
    static Space space(String what, Address at) {
        return switch (at) {
            case Address.Global _, Address.Pointed _ -> Space.GLOBAL;
            case Address.Shared _ -> Space.SHARED_CTA;
            case Address.Remote _ -> Space.SHARED_CLUSTER;
            default -> throw new IllegalArgumentException(what + " global or shared memory, got " + at.title());
        };
    }

    /** What PTX calls the type: only its width where an operation looks at bits. */
    static DataType dataType(AtomicOp op, ValueType type) {
        boolean wide = type.bits() == Long.SIZE;
        return switch (op) {
            case AND, OR, XOR, EXCH, CAS -> wide ? DataType.B64 : DataType.B32;
            // Sums wrap, so that one of 64 bits is the same whether it has a sign.
            case ADD -> type == ValueType.I64 ? DataType.U64 : DataType.of(type.element().orElseThrow());
            case INC, DEC, MIN, MAX -> DataType.of(type.element().orElseThrow());
        };
    }

    private static ScopedAccess form(AtomicOp op, DataType type, Space space, Scope scope, Atom.Order order,
            boolean returns) {
        boolean acquires = order == Atom.Order.ACQUIRE || order == Atom.Order.ACQ_REL;
        return returns || acquires || !op.isReduction() ? new Atom(order, scope, space, op, type)
                : new Red(order == Atom.Order.RELEASE ? Red.Order.RELEASE : Red.Order.RELAXED, scope, space, op, type);
    }

    private AtomicStep revised() {
        revise(form(op, dataType(op, type), space, scope, order, returns));
        return this;
    }

    /** The threads that it is atomic for. */
    public AtomicStep scope(Scope threads) {
        scope = Objects.requireNonNull(threads, "threads");
        return revised();
    }

    /** Sets what the update orders besides itself. */
    public AtomicStep order(Atom.Order what) {
        order = Objects.requireNonNull(what, "what");
        return revised();
    }

    /**
     * The old value, of the operand's type.
     *
     * @param name of the value
     */
    public Value old(String name) {
        Objects.requireNonNull(name, "name");
        returns = true;
        revised();
        Value old = result(name).toValue();
        return old.type() == type ? old : old.bitCast(type);
    }
}
