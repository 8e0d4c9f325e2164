package dev.tilewright.builder;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Address;
import dev.tilewright.program.Body;
import dev.tilewright.program.ElementStep;
import dev.tilewright.program.Expr;
import dev.tilewright.program.Fragment;
import dev.tilewright.program.Parameter;
import java.util.Optional;
import java.util.function.Function;

/** The part of every kernel that touches elements: read, apply the step, write. */
final class ElementwiseStep {
    private final ElementType type;
    private final ElementStep step;
    private final Optional<Parameter.Scalar> scalar;

    ElementwiseStep(ElementType type, ElementStep step, Optional<Parameter.Scalar> scalar) {
        this.type = type;
        this.step = step;
        this.scalar = scalar;
    }

    /** Moves {@code bytes} bytes (1 to 16, a multiple of the element) in one access each way. */
    void move(Body body, String name, int bytes, Address from, Address to) {
        write(body, read(body, name, bytes, from), to);
    }

    /** The first half of {@link #move}: a kernel that reads several times before it writes has more under way at once. */
    Fragment read(Body body, String name, int bytes, Address from) {
        boolean raw = step == ElementStep.COPY && bytes % 4 == 0;
        return body.purpose("read " + bytes + " bytes").load(name, raw ? ElementType.U32 : type,
                bytes / (raw ? 4 : type.bytes()), from);
    }

    /** The second half: applies the step and writes. */
    void write(Body body, Fragment f, Address to) {
        scalar.ifPresent(s -> body.purpose(step == ElementStep.SCALE ? "scale each element" : "add to each element")
                .apply(f, step, s));
        body.purpose("write them").store(to, f);
    }

    /** Moves {@code bytes} bytes one element at a time. @param bytes an expression, a multiple of the element */
    void moveSome(Body body, String name, Expr bytes, Function<Expr, Address> from, Function<Expr, Address> to) {
        body.purpose("one element at a time, up to the array's end")
                .loop(name + "_at", Expr.of(0), bytes, Expr.of(type.bytes()),
                (each, at) -> move(each, name, type.bytes(), from.apply(at), to.apply(at)));
    }

    /**
     * The last few bytes of an array, which bulk copies leave over because they move multiples of 16: one element for
     * each of the first threads of the first block, by ordinary loads and stores.
     *
     * @param begin where they begin, in bytes
     * @param end where the array ends, in bytes
     */
    void tail(Body body, Parameter.Pointer source, Parameter.Pointer result, Expr begin, Expr end) {
        Expr at = begin.plus(Expr.Builtin.THREAD.times(type.bytes()));
        body.purpose("the array's last bytes, too few for a bulk copy: one element for each of the first threads")
                .when(Expr.Builtin.BLOCK.isEqualTo(0).and(at.lessThan(end)),
                b -> move(b, "last_element", type.bytes(), new Address.Global(source, at),
                        new Address.Global(result, at)));
    }
}
